// Proves that what one side writes the other reads, and that readers name what is wrong (MCP 2026-07-28, schema.ts).
#include "wire/mcp/codec.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"

namespace postern::mcp {
namespace {

using test::refused;
using test::succeeded;

Json json_of(const char* text) {
  return *parse_json(text);
}

RequestMeta host_meta() {
  RequestMeta meta;
  meta.client_capabilities = json_of(R"({"elicitation":{"url":{}}})");
  meta.client_info = Implementation{"postern", "0.1.0"};
  meta.extra = json_of(R"({"dev.postern/run":{"run_id":"http-1"}})");
  return meta;
}

TEST(RequestMetaCodec, ReadsWhatItWrote) {
  const Json params = discover_params(host_meta());
  const auto read = read_request_meta(params);
  ASSERT_TRUE(succeeded(read));
  EXPECT_EQ(read->protocol_version, "2026-07-28");
  EXPECT_EQ(read->client_capabilities, host_meta().client_capabilities);
  EXPECT_EQ(read->client_info->name, "postern");
  EXPECT_EQ(read->extra.find("dev.postern/run")->string_at("run_id"), "http-1");
}

TEST(RequestMetaCodec, ServesRequestWithoutClientInfo) {
  Json params = discover_params(host_meta());
  params.find("_meta")->erase(kMetaClientInfo);
  const auto read = read_request_meta(params);
  ASSERT_TRUE(succeeded(read));
  EXPECT_FALSE(read->client_info.has_value());
}

TEST(RequestMetaCodec, RefusesMissingMetaAndEachMissingKey) {
  EXPECT_TRUE(refused(read_request_meta(Json()), "mcp.malformed_params"));
  EXPECT_TRUE(refused(read_request_meta(Json::object()), "mcp.malformed_params"));
  for (const std::string_view key : {kMetaProtocolVersion, kMetaClientCapabilities}) {
    Json params = discover_params(host_meta());
    params.find("_meta")->erase(key);
    const auto read = read_request_meta(params);
    ASSERT_TRUE(refused(read, "mcp.malformed_params"));
    EXPECT_NE(read.error().text().find(key), std::string::npos);
    params.find("_meta")->set(std::string(key), 5);
    EXPECT_TRUE(refused(read_request_meta(params), "mcp.malformed_params"));
  }
}

TEST(CallToolParamsCodec, ReadsWhatItWrote) {
  CallToolParams params;
  params.name = "issue_refund";
  params.arguments = json_of(R"({"amount_cents":4800})");
  params.input_responses = {{"approval", elicit_response(ElicitAction::kAccept)}};
  params.request_state = "a/\xC3\xA9\xE2\x80\xA8\\+==\"";
  const auto read = read_call_tool_params(*parse_json(to_json(params, host_meta()).dump()));
  ASSERT_TRUE(succeeded(read));
  EXPECT_EQ(read->name, params.name);
  EXPECT_EQ(read->arguments, params.arguments);
  ASSERT_EQ(read->input_responses.size(), 1U);
  EXPECT_EQ(read->input_responses[0].key, "approval");
  EXPECT_EQ(read->input_responses[0].response, json_of(R"({"action":"accept"})"));
  EXPECT_EQ(read->request_state, params.request_state);
}

TEST(CallToolParamsCodec, KeepsEmptyRequestStateAndOmitsAbsentOne) {
  CallToolParams params;
  params.name = "t";
  EXPECT_FALSE(to_json(params, host_meta()).has("requestState"));
  params.request_state = "";
  const Json written = to_json(params, host_meta());
  ASSERT_TRUE(written.has("requestState"));
  EXPECT_EQ(read_call_tool_params(written)->request_state, "");
}

TEST(CallToolParamsCodec, RefusesMembersOfWrongTypeAndNamesThem) {
  const std::pair<const char*, const char*> rows[] = {
      {R"({"name":["get_order"]})", "params.name"},
      {R"({})", "params.name"},
      {R"({"name":"t","arguments":5})", "params.arguments"},
      {R"({"name":"t","arguments":[]})", "params.arguments"},
      {R"({"name":"t","inputResponses":null})", "params.inputResponses"},
      {R"({"name":"t","requestState":7})", "params.requestState"},
  };
  for (const auto& [text, where] : rows) {
    const auto read = read_call_tool_params(json_of(text));
    ASSERT_TRUE(refused(read, "mcp.malformed_params")) << text;
    EXPECT_EQ(read.error().as<MalformedParams>()->where, where);
  }
  EXPECT_TRUE(
      succeeded(read_call_tool_params(json_of(R"({"name":"t","arguments":{},"inputResponses":{},"other":1})"))));
  // A response that is not what was asked for is for whoever asked: it counts as missing.
  const auto odd = read_call_tool_params(json_of(R"({"name":"t","inputResponses":{"approval":"accept"}})"));
  ASSERT_TRUE(succeeded(odd));
  EXPECT_EQ(odd->input_responses.front().response, Json("accept"));
}

TEST(CursorCodec, TellsAbsentFromEmpty) {
  EXPECT_FALSE(read_cursor(Json::object())->has_value());
  EXPECT_EQ(*read_cursor(json_of(R"({"cursor":""})")), "");
  EXPECT_TRUE(refused(read_cursor(json_of(R"({"cursor":1})")), "mcp.malformed_params"));
}

TEST(DiscoverResultCodec, ReadsWhatItWrote) {
  DiscoverResult result;
  result.supported_versions = {"2026-07-28"};
  result.capabilities = json_of(R"({"tools":{}})");
  result.instructions = "Open the case first.";
  result.server_info = Implementation{"support-desk", "0.1.0"};
  result.ttl_ms = 60'000;
  const auto read = read_discover_result(to_json(result));
  ASSERT_TRUE(succeeded(read));
  EXPECT_EQ(read->supported_versions, result.supported_versions);
  EXPECT_EQ(read->capabilities, result.capabilities);
  EXPECT_EQ(read->instructions, result.instructions);
  EXPECT_EQ(read->server_info->name, "support-desk");
  EXPECT_EQ(read->ttl_ms, 60'000);
  EXPECT_EQ(read->cache_scope, "public");
}

TEST(DiscoverResultCodec, CountsOddCacheHintsAsStaleAndPrivate) {
  Json json = to_json(DiscoverResult{{"2026-07-28"}, Json::object(), std::nullopt, std::nullopt, 5, "public"});
  json.set("ttlMs", -4);
  json.erase("cacheScope");
  const auto read = read_discover_result(json);
  ASSERT_TRUE(succeeded(read));
  EXPECT_EQ(read->ttl_ms, 0);
  EXPECT_EQ(read->cache_scope, "private");
  json.set("ttlMs", 250.0);
  EXPECT_EQ(read_discover_result(json)->ttl_ms, 250);
  json.set("ttlMs", std::int64_t{9007199254740992});  // not an integer that every reader holds exactly
  EXPECT_TRUE(refused(read_discover_result(json), "mcp.malformed_result"));
  json.set("ttlMs", 5);
  json.set("cacheScope", "everybody");
  EXPECT_TRUE(refused(read_discover_result(json), "mcp.malformed_result"));
}

TEST(DiscoverResultCodec, RefusesWhatIsNoDiscoverResult) {
  EXPECT_TRUE(refused(read_discover_result(json_of(R"({"supportedVersions":"2026-07-28","capabilities":{}})")),
                      "mcp.malformed_result"));
  EXPECT_TRUE(
      refused(read_discover_result(json_of(R"({"supportedVersions":[1],"capabilities":{}})")), "mcp.malformed_result"));
  EXPECT_TRUE(refused(read_discover_result(json_of(R"({"supportedVersions":[]})")), "mcp.malformed_result"));
  EXPECT_TRUE(succeeded(read_discover_result(json_of(R"({"supportedVersions":[],"capabilities":{}})"))));
}

TEST(ToolCodec, KeepsTheWholeDefinition) {
  const Json definition = json_of(
      R"({"name":"t","x-unknown":[1,2],"inputSchema":{"type":"object","$defs":{"a":{}}},
                                   "outputSchema":true,"title":"T"})");
  Json valid = definition;
  valid.set("outputSchema", json_of(R"({"type":"array"})"));
  const auto tool = read_tool(valid);
  ASSERT_TRUE(succeeded(tool));
  EXPECT_EQ(tool->definition.dump(), valid.dump());
  EXPECT_EQ(to_json(*tool).dump(), valid.dump());
  EXPECT_EQ(tool->title, "T");
  EXPECT_FALSE(tool->description.has_value());
  EXPECT_TRUE(refused(read_tool(definition), "mcp.malformed_result"));
}

TEST(ToolCodec, RefusesInputSchemaWithoutObjectRoot) {
  EXPECT_TRUE(refused(read_tool(json_of(R"({"name":"t","inputSchema":{"type":"string"}})")), "mcp.malformed_result"));
  EXPECT_TRUE(refused(read_tool(json_of(R"({"name":"t"})")), "mcp.malformed_result"));
  EXPECT_TRUE(refused(read_tool(json_of(R"({"inputSchema":{"type":"object"}})")), "mcp.malformed_result"));
  EXPECT_TRUE(succeeded(read_tool(json_of(R"({"name":"t","inputSchema":{"type":"object"}})"))));
}

TEST(ListToolsResultCodec, ReadsWhatItWrote) {
  ListToolsResult result;
  result.tools = {*read_tool(json_of(R"({"name":"a","inputSchema":{"type":"object"}})")),
                  *read_tool(json_of(R"({"name":"b","inputSchema":{"type":"object"}})"))};
  result.next_cursor = "";
  result.ttl_ms = 7;
  const auto read = read_list_tools_result(to_json(result));
  ASSERT_TRUE(succeeded(read));
  ASSERT_EQ(read->tools.size(), 2U);
  EXPECT_EQ(read->tools[1].name, "b");
  EXPECT_EQ(read->next_cursor, "");
  EXPECT_EQ(read->ttl_ms, 7);
}

TEST(CallToolOutcomeCodec, ReadsResultAsWritten) {
  const CallToolResult result{Json::array({text_block("{}")}), Json(), true};
  const auto read = read_call_tool_outcome(to_json(result));
  ASSERT_TRUE(succeeded(read));
  const auto& done = std::get<CallToolResult>(*read);
  EXPECT_EQ(done.content, result.content);
  ASSERT_TRUE(done.structured_content.has_value());
  EXPECT_TRUE(done.structured_content->is_null());  // null is a value of its own
  EXPECT_TRUE(done.is_error);
}

TEST(CallToolOutcomeCodec, ReadsRequestForInputAsWritten) {
  InputRequiredResult asks;
  asks.input_requests = {
      {"approval", "elicitation/create", to_json(ElicitRequestUrlParams{"Wait.", "http://127.0.0.1:1/a"})}};
  asks.request_state = "rs_x";
  const auto read = read_call_tool_outcome(to_json(asks));
  ASSERT_TRUE(succeeded(read));
  const auto& required = std::get<InputRequiredResult>(*read);
  EXPECT_EQ(required.request_state, "rs_x");
  const auto url = read_elicit_url(required.input_requests.at(0));
  ASSERT_TRUE(succeeded(url));
  EXPECT_EQ(url->url, "http://127.0.0.1:1/a");
  EXPECT_EQ(url->message, "Wait.");
}

TEST(CallToolOutcomeCodec, RefusesUnknownResultType) {
  EXPECT_TRUE(
      refused(read_call_tool_outcome(json_of(R"({"resultType":"task","content":[]})")), "mcp.unexpected_result_type"));
  EXPECT_TRUE(refused(read_call_tool_outcome(json_of(R"({"resultType":5,"content":[]})")), "mcp.malformed_result"));
  EXPECT_TRUE(succeeded(read_call_tool_outcome(json_of(R"({"content":[]})"))));  // of an older server
  EXPECT_TRUE(refused(read_discover_result(json_of(R"({"resultType":"input_required","requestState":""})")),
                      "mcp.unexpected_result_type"));
}

TEST(CallToolOutcomeCodec, RefusesContentThatIsNotBlocks) {
  EXPECT_TRUE(refused(read_call_tool_outcome(json_of(R"({"resultType":"complete"})")), "mcp.malformed_result"));
  EXPECT_TRUE(refused(read_call_tool_outcome(json_of(R"({"content":["text"]})")), "mcp.malformed_result"));
  EXPECT_TRUE(refused(read_call_tool_outcome(json_of(R"({"content":[{"type":"text"}]})")), "mcp.malformed_result"));
  EXPECT_TRUE(refused(read_call_tool_outcome(json_of(R"({"content":[],"isError":"no"})")), "mcp.malformed_result"));
  EXPECT_TRUE(succeeded(read_call_tool_outcome(json_of(R"({"content":[{"type":"text","text":""}]})"))));
}

TEST(CallToolOutcomeCodec, RefusesRequestForInputThatAsksNothing) {
  EXPECT_TRUE(refused(read_call_tool_outcome(json_of(R"({"resultType":"input_required"})")), "mcp.malformed_result"));
  EXPECT_TRUE(succeeded(read_call_tool_outcome(json_of(R"({"resultType":"input_required","requestState":""})"))));
}

TEST(ElicitationCodec, RefusesFormModeAndOtherMethods) {
  InputRequest request{"k", "elicitation/create", json_of(R"({"mode":"url","message":"m","url":"http://127.0.0.1/"})")};
  EXPECT_TRUE(succeeded(read_elicit_url(request)));
  request.params.set("mode", "form");
  EXPECT_TRUE(refused(read_elicit_url(request), "mcp.malformed_result"));
  request.params.set("mode", "url");
  request.method = "sampling/createMessage";
  EXPECT_TRUE(refused(read_elicit_url(request), "mcp.malformed_result"));
}

TEST(ErrorDataCodec, ReadsSupportedVersions) {
  JsonRpcError error{std::nullopt, -32022, "Unsupported protocol version",
                     to_json(UnsupportedVersionData{{"2026-07-28", "2025-11-25"}, "1900-01-01"})};
  const auto read = unsupported_version_of(error);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->supported.size(), 2U);
  EXPECT_EQ(read->requested, "1900-01-01");
  error.code = -32004;
  EXPECT_FALSE(unsupported_version_of(error).has_value());
}

TEST(ElicitFormCodec, AModeThatIsNotThereMeansAForm) {
  InputRequest request{"k", "elicitation/create",
                       json_of(R"({"message":"m","requestedSchema":{"type":"object","properties":{}}})")};
  ASSERT_TRUE(succeeded(read_elicit_form(request)));
  EXPECT_EQ(read_elicit_form(request)->message, "m");
  request.params.set("mode", "form");
  EXPECT_TRUE(succeeded(read_elicit_form(request)));
  for (const Json& mode : {Json("url"), Json(""), Json(1), Json()}) {
    request.params.set("mode", mode);
    EXPECT_TRUE(refused(read_elicit_form(request), "mcp.malformed_result")) << mode.dump();
  }
  EXPECT_EQ(elicit_response_with(json_of(R"({"a":1})")).dump(), R"({"action":"accept","content":{"a":1}})");
}

}  // namespace
}  // namespace postern::mcp
