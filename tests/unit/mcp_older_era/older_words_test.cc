// Proves each difference between the words of 2026-07-28 and those of 2025-11-25 that a result can show.
#include "services/mcp_older_era/older_words.h"

#include <gtest/gtest.h>

#include "tests/unit/mcp_older_era/older_server.h"

namespace postern::mcp {
namespace {

using test::json_text;

TEST(OlderWords, KeepTheMetaThatIsNotReserved) {
  Json result = json_text(R"({"resultType":"complete","ttlMs":1,"cacheScope":"public","kept":1,"_meta":{
      "io.modelcontextprotocol/serverInfo":{},"dev.mcp/x":1,"com.mcp.tools/x":1,
      "com.example.mcp/x":2,"mcp/x":2,"plain":2}})");
  strip_newer_members(result);
  EXPECT_EQ(result, json_text(R"({"kept":1,"_meta":{"com.example.mcp/x":2,"mcp/x":2,"plain":2}})"));
  Json only_reserved = json_text(R"({"_meta":{"io.modelcontextprotocol/serverInfo":{}}})");
  strip_newer_members(only_reserved);
  EXPECT_EQ(only_reserved, Json::object());
}

TEST(OlderWords, RootSchemasInObjects) {
  const Json tool = older_tool(json_text(R"({"name":"a","inputSchema":{"type":"object","properties":{"no":false}},
      "outputSchema":{"type":"object","properties":{"yes":true,"text":{"type":"string"}}}})"));
  EXPECT_EQ(tool, json_text(R"({"name":"a","inputSchema":{"type":"object","properties":{"no":{"not":{}}}},
      "outputSchema":{"type":"object","properties":{"yes":{},"text":{"type":"string"}}}})"));
  for (const char* root : {R"({"type":"array"})", R"({"type":["object","null"]})", R"({"anyOf":[]})", "true", "{}"}) {
    Json definition = Json::object({{"name", "a"}});
    definition.set("outputSchema", json_text(root));
    EXPECT_FALSE(older_tool(definition).has("outputSchema")) << root;
  }
}

TEST(OlderWords, KeepStructuredContentThatIsAnObject) {
  for (const char* value : {"null", "5", "\"a\"", "[{}]", "true"}) {
    const Json result = older_call_result(
        json_text(R"({"resultType":"complete","content":[],"structuredContent":)" + std::string(value) + "}"));
    EXPECT_EQ(result, json_text(R"({"content":[]})")) << value;
  }
  const Json object = older_call_result(
      json_text(R"({"resultType":"complete","content":[],"structuredContent":{"a":1},"isError":true})"));
  EXPECT_EQ(object, json_text(R"({"content":[],"structuredContent":{"a":1},"isError":true})"));
}

TEST(OlderWords, AdvertiseToolsAlone) {
  const Json discovered = json_text(R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},
      "resources":{"subscribe":true},"logging":{},"extensions":{"a/b":{}}},"_meta":{}})");
  EXPECT_EQ(initialize_result(discovered, "2025-11-25"),
            json_text(R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{}})"));
  EXPECT_EQ(*initialize_result(json_text(R"({"capabilities":{"prompts":{}}})"), "2025-11-25").find("capabilities"),
            Json::object());
}

TEST(OlderWords, OfferWhatIsMarkedAsReadingAndNothingElse) {
  const auto offered = [](const char* annotations, const char* capabilities) {
    ToolRow row;
    row.tool.definition = json_text(R"({"name":"a","annotations":)" + std::string(annotations) + "}");
    row.client_capabilities = json_text(capabilities);
    return is_offered_to_older_era(row);
  };
  EXPECT_TRUE(offered(R"({"readOnlyHint":true})", "null"));
  EXPECT_FALSE(offered(R"({"readOnlyHint":true})", R"({"elicitation":{}})"));
  EXPECT_FALSE(offered(R"({"readOnlyHint":false})", "null"));
  EXPECT_FALSE(offered(R"({"readOnlyHint":"true"})", "null"));
  EXPECT_FALSE(offered(R"({"destructiveHint":false})", "null"));
  EXPECT_FALSE(offered("null", "null"));
}

}  // namespace
}  // namespace postern::mcp
