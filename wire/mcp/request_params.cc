#include "wire/mcp/request_params.h"

#include "wire/base/visible_text.h"
#include "wire/mcp/codec.h"

namespace postern::mcp {
namespace {

using NamedStrings = std::vector<std::pair<std::string, std::string>>;

Result<std::string> required_string(const Json& object, std::string_view name, const std::string& where) {
  const Json* member = object.find(name);
  if (member == nullptr || !member->is_string()) return MalformedParams{where + "." + std::string(name), "a string"};
  return *member->string();
}

Result<NamedStrings> named_strings(const Json* json, const std::string& where) {
  NamedStrings strings;
  if (json == nullptr) return strings;
  if (!json->is_object()) return MalformedParams{where, "an object of strings"};
  for (const auto& [name, value] : json->members()) {
    if (!value.is_string()) return MalformedParams{where + "." + visible_line(name, 60), "a string"};
    strings.emplace_back(name, *value.string());
  }
  return strings;
}

Result<bool> optional_flag(const Json& object, std::string_view name, const std::string& where) {
  const Json* member = object.find(name);
  if (member == nullptr) return false;
  const auto flag = member->boolean();
  if (!flag) return MalformedParams{where + "." + std::string(name), "a boolean"};
  return *flag;
}

}  // namespace

const Json* InputRound::response(std::string_view key) const {
  for (const InputResponse& answer : input_responses) {
    if (answer.key == key) return &answer.response;
  }
  return nullptr;
}

Result<InputRound> read_input_round(const Json& params) {
  InputRound round;
  if (const Json* responses = params.find("inputResponses")) {
    if (!responses->is_object()) return MalformedParams{"params.inputResponses", "an object"};
    for (const auto& [key, response] : responses->members())
      round.input_responses.push_back(InputResponse{key, response});
  }
  if (const Json* state = params.find("requestState")) {
    if (!state->is_string()) return MalformedParams{"params.requestState", "a string"};
    round.request_state = *state->string();
  }
  return round;
}

Result<ReadResourceParams> read_read_resource_params(const Json& params) {
  ReadResourceParams read;
  POSTERN_TRY(read.uri, required_string(params, "uri", "params"));
  POSTERN_TRY(read.input, read_input_round(params));
  return read;
}

const std::string* GetPromptParams::argument(std::string_view argument_name) const {
  for (const auto& [known, value] : arguments) {
    if (known == argument_name) return &value;
  }
  return nullptr;
}

Result<GetPromptParams> read_get_prompt_params(const Json& params) {
  GetPromptParams read;
  POSTERN_TRY(read.name, required_string(params, "name", "params"));
  POSTERN_TRY(read.arguments, named_strings(params.find("arguments"), "params.arguments"));
  POSTERN_TRY(read.input, read_input_round(params));
  return read;
}

Result<CompleteParams> read_complete_params(const Json& params) {
  CompleteParams read;
  const Json* ref = params.find("ref");
  if (ref == nullptr || !ref->is_object()) return MalformedParams{"params.ref", "an object"};
  POSTERN_TRY(const std::string type, required_string(*ref, "type", "params.ref"));
  if (type == "ref/prompt") {
    POSTERN_TRY(read.target, required_string(*ref, "name", "params.ref"));
  } else if (type == "ref/resource") {
    read.ref = CompleteParams::Ref::kResource;
    POSTERN_TRY(read.target, required_string(*ref, "uri", "params.ref"));
  } else {
    return MalformedParams{"params.ref.type", "\"ref/prompt\" or \"ref/resource\""};
  }
  const Json* argument = params.find("argument");
  if (argument == nullptr || !argument->is_object()) return MalformedParams{"params.argument", "an object"};
  POSTERN_TRY(read.argument, required_string(*argument, "name", "params.argument"));
  POSTERN_TRY(read.value, required_string(*argument, "value", "params.argument"));
  if (const Json* context = params.find("context")) {
    if (!context->is_object()) return MalformedParams{"params.context", "an object"};
    POSTERN_TRY(read.context, named_strings(context->find("arguments"), "params.context.arguments"));
  }
  return read;
}

Result<SubscriptionFilter> read_listen_params(const Json& params) {
  const std::string where = "params.notifications";
  const Json* wanted = params.find("notifications");
  if (wanted == nullptr || !wanted->is_object()) return MalformedParams{where, "an object"};
  SubscriptionFilter filter;
  POSTERN_TRY(filter.tools_list_changed, optional_flag(*wanted, "toolsListChanged", where));
  POSTERN_TRY(filter.prompts_list_changed, optional_flag(*wanted, "promptsListChanged", where));
  POSTERN_TRY(filter.resources_list_changed, optional_flag(*wanted, "resourcesListChanged", where));
  if (const Json* uris = wanted->find("resourceSubscriptions")) {
    const std::string place = where + ".resourceSubscriptions";
    if (!uris->is_array()) return MalformedParams{place, "an array of URIs"};
    if (uris->size() > kSubscriptionUrisMax)
      return MalformedParams{place, "at most " + std::to_string(kSubscriptionUrisMax) + " URIs"};
    for (const Json& uri : uris->elements()) {
      if (!uri.is_string()) return MalformedParams{place, "an array of URIs"};
      filter.resource_subscriptions.push_back(*uri.string());
    }
  }
  return filter;
}

Json to_json(const SubscriptionFilter& filter) {
  Json json = Json::object();
  if (filter.tools_list_changed) json.append_member("toolsListChanged", true);
  if (filter.prompts_list_changed) json.append_member("promptsListChanged", true);
  if (filter.resources_list_changed) json.append_member("resourcesListChanged", true);
  if (!filter.resource_subscriptions.empty()) {
    Json uris = Json::array();
    for (const std::string& uri : filter.resource_subscriptions) uris.push(uri);
    json.append_member("resourceSubscriptions", std::move(uris));
  }
  return json;
}

}  // namespace postern::mcp
