// Proves what is read by a URI, by whom, and what is answered when there is nothing (MCP 2026-07-28 server/resources).
#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/unit/mcp_server/feature_server.h"

namespace postern::mcp {
namespace {

using test::FeatureServer;
using test::refused;

class ResourceMethods : public testing::Test {
 protected:
  std::int64_t code_of_read(const std::string& uri) {
    return features_.code("resources/read", Json::object({{"uri", uri}}));
  }
  FeatureServer features_;
};

TEST_F(ResourceMethods, AreDeclaredAndListed) {
  const Json discover = *features_.answer("server/discover", Json::object()).find("result");
  EXPECT_EQ(*discover.find("capabilities")->find("resources"), *parse_json(R"({"listChanged":true,"subscribe":true})"));
  const Json list = *features_.answer("resources/list", Json::object()).find("result");
  EXPECT_EQ(list.find("resources")->size(), 4U);
  EXPECT_EQ(list.find("resources")->elements()[0].string_at("uri"), "note://a");
  const Json templates = *features_.answer("resources/templates/list", Json::object()).find("result");
  EXPECT_EQ(templates.find("resourceTemplates")->size(), 1U);
  for (const Json& result : {discover, list, templates}) {
    EXPECT_EQ(result.integer_at("ttlMs"), 60'000);
    EXPECT_EQ(result.string_at("cacheScope"), "public");
  }
}

TEST_F(ResourceMethods, ReadWhatIsThereForThisCallerOnly) {
  const Json result = features_.read("note://a");
  EXPECT_EQ(result.string_at("resultType"), "complete");
  EXPECT_EQ(*result.find("contents"), *parse_json(R"([{"uri":"note://a","text":"A note."}])"));
  EXPECT_EQ(result.string_at("cacheScope"), "private");
  EXPECT_EQ(result.integer_at("ttlMs"), 0);
  EXPECT_EQ(features_.read("note://by/a%20b").find("contents")->elements()[0].string_at("text"), "a b");
}

TEST_F(ResourceMethods, AnswerWhatIsNotThereAsInvalidParams) {
  for (const char* uri : {"note://b", "note://a/", "NOTE://a", "note://empty", "file:///etc/passwd", "", "no uri"}) {
    const Json body = features_.answer("resources/read", Json::object({{"uri", uri}}));
    ASSERT_TRUE(body.has("error")) << uri;
    EXPECT_EQ(body.find("error")->integer_at("code"), -32602) << uri;
    EXPECT_EQ(body.find("error")->find("data")->string_at("uri"), uri);
  }
  EXPECT_EQ(code_of_read("note://a"), 0);
}

TEST_F(ResourceMethods, LetNoVariableBeAPath) {
  for (const char* uri :
       {"note://by/..", "note://by/.", "note://by/a/b", "note://by/a%2Fb", "note://by/%2e%2e", "note://by/a%5Cb",
        "note://by/a%00b", "note://by/a%0Ab", "note://by/", "note://by/a%2", "note://by/a%zz"}) {
    EXPECT_EQ(code_of_read(uri), -32602) << uri;
  }
  EXPECT_EQ(features_.reads, 0);
  EXPECT_EQ(code_of_read("note://by/a..b"), 0);
}

TEST_F(ResourceMethods, NeedTheScopesOfTheirRow) {
  const Json secret = Json::object({{"uri", "note://secret"}});
  const auto without = features_.accept("resources/read", secret, {"desk:read"});
  EXPECT_TRUE(refused(without, "token.insufficient_scope"));
  EXPECT_EQ(features_.reads, 0);
  EXPECT_EQ(features_.code("resources/read", secret, {"desk:read", "desk:secret"}), 0);
  EXPECT_TRUE(refused(features_.accept("resources/read", Json::object({{"uri", "note://a"}}), {"other"}),
                      "token.insufficient_scope"));
}

TEST_F(ResourceMethods, KeepWhatFailsInsideToThemselves) {
  const Json body = features_.answer("resources/read", Json::object({{"uri", "note://broken"}}));
  EXPECT_EQ(body.find("error")->integer_at("code"), -32603);
  EXPECT_EQ(body.find("error")->string_at("message"), "Internal error.");
  EXPECT_EQ(body.dump().find("secret detail"), std::string::npos);
}

TEST_F(ResourceMethods, ListenToWhatIsOfferedToTheCaller) {
  const auto listen = [&](const char* filter, const ScopeSet& scopes) {
    auto accepted =
        features_.accept("subscriptions/listen", Json::object({{"notifications", *parse_json(filter)}}), scopes);
    EXPECT_TRUE(accepted.has_value());
    return to_json(std::get<PreparedListen>(*accepted).honoured);
  };
  const char* all = R"({"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,
                        "resourceSubscriptions":["note://a","note://secret","note://empty","note://none"]})";
  EXPECT_EQ(listen(all, {"desk:read"}), *parse_json(R"({"promptsListChanged":true,"resourcesListChanged":true,
                            "resourceSubscriptions":["note://a"]})"));
  EXPECT_EQ(listen(all, {"desk:read", "desk:secret"}).find("resourceSubscriptions")->size(), 2U);
  EXPECT_EQ(listen("{}", {"desk:read"}), Json::object());
}

}  // namespace
}  // namespace postern::mcp
