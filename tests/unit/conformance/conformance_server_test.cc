// The program that the conformance suite is run against has what the suite calls, where the suite itself cannot be had.
#include "tests/conformance/server/conformance_server.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <variant>

#include "services/gate/principal.h"
#include "services/mcp/answer.h"
#include "tests/support/test_env.h"
#include "wire/mcp/headers.h"
#include "wire/mcp/types.h"

namespace postern::conformance {
namespace {

constexpr const char* kClient = R"({"elicitation":{},"sampling":{},"roots":{}})";
constexpr const char* kTaskClient = R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})";

class Fixtures : public testing::Test {
 protected:
  Fixtures() { fixtures_ = ConformanceServer::make(env_.env()).value(); }

  Result<mcp::Accepted> accept(const std::string& method, Json params, const char* capabilities) {
    params.set("_meta", Json::object({{std::string(mcp::kMetaProtocolVersion), mcp::kProtocolVersion},
                                      {std::string(mcp::kMetaClientCapabilities), *parse_json(capabilities)}}));
    const HeaderList headers = mcp::request_headers(method, params);
    const services::StdioLaunch tester("tester");
    const ScopeSet granted;
    const mcp::RequestContext context{
        std::make_shared<services::Principal>(tester.principal()), &granted, &headers, {}};
    return fixtures_->server().accept({RequestId(std::int64_t{1}), method, std::move(params)}, context);
  }
  // The whole JSON-RPC answer.
  Json answer(const std::string& method, Json params = Json::object(), const char* capabilities = kClient) {
    const auto accepted = accept(method, std::move(params), capabilities);
    if (!accepted) return *parse_json(mcp::refusal(accepted.error(), RequestId(std::int64_t{1})).body);
    return *parse_json(std::get<mcp::PreparedRequest>(*accepted).run()->body);
  }
  Json call(const char* tool, const char* more = "{}", const char* capabilities = kClient) {
    Json params = *parse_json(more);
    params.set("name", tool);
    return answer("tools/call", std::move(params), capabilities);
  }
  static std::string result_type(const Json& answer) {
    const Json* result = answer.find("result");
    return result == nullptr ? "error" : std::string(result->string_at("resultType"));
  }
  std::vector<std::string> names_of(const char* method, const char* list, const char* member) {
    const Json listed = answer(method);
    std::vector<std::string> names;
    for (const Json& one : listed.find("result")->find(list)->elements()) names.emplace_back(one.string_at(member));
    return names;
  }

  test::TestEnv env_;
  std::unique_ptr<ConformanceServer> fixtures_;
};

TEST_F(Fixtures, EveryToolOfTheSuiteIsThere) {
  const std::vector<std::string> listed = names_of("tools/list", "tools", "name");
  const std::set<std::string> expected{"test_x_mcp_header",
                                       "test_simple_text",
                                       "test_image_content",
                                       "test_audio_content",
                                       "test_embedded_resource",
                                       "test_multiple_content_types",
                                       "test_error_handling",
                                       "test_tool_with_progress",
                                       "json_schema_2020_12_tool",
                                       "test_missing_capability",
                                       "test_streaming_elicitation",
                                       "test_logging_tool",
                                       "test_trigger_tool_change",
                                       "test_trigger_prompt_change",
                                       "test_input_required_result_elicitation",
                                       "test_input_required_result_sampling",
                                       "test_input_required_result_list_roots",
                                       "test_input_required_result_request_state",
                                       "test_input_required_result_tampered_state",
                                       "test_input_required_result_multiple_inputs",
                                       "test_input_required_result_multi_round",
                                       "test_input_required_result_capabilities",
                                       "greet",
                                       "slow_compute",
                                       "failing_job",
                                       "protocol_error_job",
                                       "confirm_delete",
                                       "multi_input",
                                       "test_tool_with_task"};
  EXPECT_EQ(std::set<std::string>(listed.begin(), listed.end()), expected);
  // The suite tries headers on the first tool, without arguments.
  EXPECT_EQ(result_type(call(listed.front().c_str(), R"({"arguments":{}})")), "complete");
}

TEST_F(Fixtures, EveryPromptAndResourceOfTheSuiteIsThere) {
  EXPECT_EQ(names_of("prompts/list", "prompts", "name").size(), 5U);
  const std::vector<std::string> uris = names_of("resources/list", "resources", "uri");
  EXPECT_EQ(uris, (std::vector<std::string>{"test://static-text", "test://static-binary", "skill://demo-skill/SKILL.md",
                                            "skill://demo-skill/references/FORMS.md"}));
  for (const std::string& uri : uris)
    EXPECT_EQ(result_type(answer("resources/read", Json::object({{"uri", uri}}))), "complete") << uri;
}

TEST_F(Fixtures, AStateThatWasChangedIsAnErrorAndAsksNothing) {
  const Json first = call("test_input_required_result_tampered_state");
  ASSERT_EQ(result_type(first), "input_required");
  const std::string state(first.find("result")->string_at("requestState"));
  const std::string accepted =
      R"("inputResponses":{"confirm":{"action":"accept","content":{"ok":true}}},"requestState":")";
  const Json second = call("test_input_required_result_tampered_state", ("{" + accepted + state + "\"}").c_str());
  EXPECT_EQ(result_type(second), "complete");
  const Json changed =
      call("test_input_required_result_tampered_state", ("{" + accepted + state + "-TAMPERED\"}").c_str());
  EXPECT_EQ(changed.find("error")->integer_at("code"), -32602);
}

TEST_F(Fixtures, ACallGoesOnAsATaskOnlyForAClientThatDeclaresTasks) {
  EXPECT_EQ(result_type(call("slow_compute", R"({"arguments":{"seconds":0}})")), "complete");
  EXPECT_EQ(result_type(call("slow_compute", R"({"arguments":{"seconds":0}})", kTaskClient)), "task");
  EXPECT_EQ(result_type(call("greet", R"({"arguments":{"name":"Ada"}})", kTaskClient)), "complete");
  EXPECT_EQ(call("failing_job").find("error")->integer_at("code"), -32021);
}

TEST_F(Fixtures, TheListsThatATriggerChangesAreTheOnesThatChange) {
  const Json tools = answer("tools/list");
  const Json prompts = answer("prompts/list");
  EXPECT_EQ(result_type(call("test_trigger_tool_change")), "complete");
  EXPECT_NE(answer("tools/list"), tools);
  EXPECT_EQ(answer("prompts/list"), prompts);
  EXPECT_EQ(result_type(call("test_trigger_tool_change")), "complete");
  EXPECT_EQ(result_type(call("test_trigger_prompt_change")), "complete");
  EXPECT_EQ(answer("tools/list"), tools);
  EXPECT_NE(answer("prompts/list"), prompts);
}

}  // namespace
}  // namespace postern::conformance
