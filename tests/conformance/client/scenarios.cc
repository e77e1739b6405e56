#include "tests/conformance/client/scenarios.h"

#include <functional>
#include <map>

#include "tests/conformance/client/client_host.h"
#include "wire/base/visible_text.h"

namespace postern::conformance {
namespace {

using Play = std::function<Status(ClientHost&, const ScenarioInput&)>;

Json no_arguments() {
  return Json::object();
}

Status discover_and_list(ClientHost& host, const ScenarioInput& /*input*/) {
  POSTERN_TRY_VOID(host.session().discover({}));
  return host.list_tools();
}

Status call_add_numbers(ClientHost& host, const ScenarioInput& input) {
  POSTERN_TRY_VOID(discover_and_list(host, input));
  return host.call("add_numbers", Json::object({{"a", 5}, {"b", 3}}));
}

Status echo_request_states(ClientHost& host, const ScenarioInput& input) {
  POSTERN_TRY_VOID(discover_and_list(host, input));
  for (const char* tool :
       {"test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"})
    POSTERN_TRY_VOID(host.call(tool, no_arguments()));
  return {};
}

// The first element of a list that a server gave, as the parameter that reads it.
Result<Json> first_of(ClientHost& host, std::string_view method, std::string_view list, std::string_view member) {
  POSTERN_TRY(const Json result, host.session().request(method, Json::object(), {}));
  const Json* elements = result.find(list);
  if (elements == nullptr || elements->elements().empty()) return NoSuchTool{std::string(list)};
  return Json::object({{std::string(member), elements->elements().front().string_at(member)}});
}

Status send_standard_headers(ClientHost& host, const ScenarioInput& input) {
  POSTERN_TRY_VOID(discover_and_list(host, input));
  if (host.tools().empty()) return NoSuchTool{"any"};
  POSTERN_TRY_VOID(host.call(host.tools().front().name(), no_arguments()));
  POSTERN_TRY(const Json resource, first_of(host, "resources/list", "resources", "uri"));
  POSTERN_TRY_VOID(host.session().request("resources/read", resource, {}));
  POSTERN_TRY(const Json prompt, first_of(host, "prompts/list", "prompts", "name"));
  POSTERN_TRY_VOID(host.session().request("prompts/get", prompt, {}));
  return {};
}

Status send_custom_headers(ClientHost& host, const ScenarioInput& input) {
  POSTERN_TRY_VOID(host.list_tools());
  const Json* calls = input.context.find("toolCalls");
  if (calls == nullptr) return NoSuchTool{"toolCalls"};
  for (const Json& call : calls->elements()) {
    const Json* arguments = call.find("arguments");
    POSTERN_TRY_VOID(host.call(call.string_at("name"), arguments == nullptr ? no_arguments() : *arguments));
  }
  return {};
}

Status call_what_is_left(ClientHost& host, const ScenarioInput& /*input*/) {
  POSTERN_TRY_VOID(host.list_tools());
  std::vector<std::string> names;
  for (const pins::PinnedTool& tool : host.tools()) names.push_back(tool.name());
  for (const std::string& name : names) POSTERN_TRY_VOID(host.call(name, Json::object({{"region", "us-west1"}})));
  return {};
}

Status echo_schema(ClientHost& host, const ScenarioInput& /*input*/) {
  POSTERN_TRY_VOID(host.list_tools());
  // A tool with alternatives at the root of its schema is kept from a model, and its definition is whole all the same.
  for (const mcp::Tool& tool : host.listed()) {
    if (tool.name != "json_schema_2020_12_tool") continue;
    return host.call("json_schema_echo", Json::object({{"schema", tool.input_schema}}));
  }
  return NoSuchTool{"json_schema_2020_12_tool"};
}

Status call_after_sign_in(ClientHost& host, const ScenarioInput& input) {
  POSTERN_TRY_VOID(discover_and_list(host, input));
  return host.call("test-tool", no_arguments());
}

const std::map<std::string, Play, std::less<>>& plays() {
  static const std::map<std::string, Play, std::less<>> kPlays = {
      {"tools_call", call_add_numbers},
      {"request-metadata", discover_and_list},
      {"sep-2322-client-request-state", echo_request_states},
      {"http-standard-headers", send_standard_headers},
      {"http-custom-headers", send_custom_headers},
      {"http-invalid-tool-headers", call_what_is_left},
      {"json-schema-ref-no-deref", discover_and_list},
      {"json-schema-2020-12-preservation", echo_schema},
  };
  return kPlays;
}

}  // namespace

Status play(const ScenarioInput& input) {
  POSTERN_TRY(const std::unique_ptr<ClientHost> host, ClientHost::make(input));
  if (input.scenario.substr(0, 5) == "auth/") return call_after_sign_in(*host, input);
  const auto found = plays().find(input.scenario);
  if (found == plays().end()) return UnknownScenario{visible_line(input.scenario, 80)};
  return found->second(*host, input);
}

std::string UnknownScenario::text() const {
  return "the scenario \"" + scenario + "\" is not played here";
}

}  // namespace postern::conformance
