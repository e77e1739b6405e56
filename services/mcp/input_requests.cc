#include "services/mcp/input_requests.h"

#include <algorithm>
#include <set>

#include "services/mcp/failures.h"
#include "wire/base/uri.h"
#include "wire/base/visible_text.h"

namespace postern::mcp {
namespace {

// {"elicitation":{}} means forms only (client/elicitation, "Capabilities").
bool declares_forms(const Json& capabilities) {
  const Json* elicitation = capabilities.find("elicitation");
  return elicitation != nullptr && elicitation->is_object() && (elicitation->size() == 0 || elicitation->has("form"));
}

Status check_elicitation(const Json& params, const Json& declared, Json& missing) {
  if (params.string_at("message").empty()) return BadInputRequest{"an elicitation has no message"};
  const std::string_view mode = params.string_at("mode");
  if (mode == "url") {
    if (!parse_uri(params.string_at("url"))) return BadInputRequest{"the url of an elicitation is none"};
    const Json needed = Json::object({{"elicitation", Json::object({{"url", Json::object()}})}});
    if (!declares(declared, needed)) missing.set("elicitation", *needed.find("elicitation"));
    return {};
  }
  if (!mode.empty() && mode != "form") return BadInputRequest{"an elicitation has an unknown mode"};
  const Json* schema = params.find("requestedSchema");
  if (schema == nullptr || schema->string_at("type") != "object")
    return BadInputRequest{"a form has no schema of an object"};
  if (!declares_forms(declared)) missing.set("elicitation", Json::object({{"form", Json::object()}}));
  return {};
}

}  // namespace

bool declares(const Json& declared, const Json& required) {
  if (!declared.is_object()) return false;
  return std::all_of(required.members().begin(), required.members().end(), [&](const Json::Member& member) {
    const Json* found = declared.find(member.first);
    return found != nullptr && declares(*found, member.second);
  });
}

Json extension_capability(std::string_view identifier) {
  return Json::object({{"extensions", Json::object({{std::string(identifier), Json::object()}})}});
}

Status check_input_required(const InputRequiredResult& result, const Json& client_capabilities) {
  if (result.input_requests.empty() && !result.request_state)
    return BadInputRequest{"there is neither a question nor a state"};
  std::set<std::string_view> keys;
  Json missing = Json::object();
  for (const InputRequest& request : result.input_requests) {
    if (!keys.insert(request.key).second) return BadInputRequest{"a key occurs twice"};
    if (request.method == "elicitation/create") {
      POSTERN_TRY_VOID(check_elicitation(request.params, client_capabilities, missing));
    } else if (request.method == "sampling/createMessage") {
      Json needed = Json::object();
      if (request.params.has("tools") || request.params.has("toolChoice")) needed.set("tools", Json::object());
      const Json whole = Json::object({{"sampling", needed}});
      if (!declares(client_capabilities, whole)) missing.set("sampling", needed);
    } else if (request.method == "roots/list") {
      if (!client_capabilities.has("roots")) missing.set("roots", Json::object());
    } else {
      return BadInputRequest{"its kind " + visible_line(request.method, 40) + " does not exist"};
    }
  }
  if (missing.size() != 0) return MissingClientCapability{std::move(missing)};
  return {};
}

}  // namespace postern::mcp
