// Proves that prompts get exactly the arguments that they name, and what is proposed for an argument (MCP 2026-07-28
// server/prompts, server/utilities/completion).
#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/unit/mcp_server/feature_server.h"

namespace postern::mcp {
namespace {

using test::FeatureServer;

class PromptMethods : public testing::Test {
 protected:
  Json get(const char* name, const char* arguments, const char* capabilities = "{}") {
    return features_.answer("prompts/get", Json::object({{"name", name}, {"arguments", *parse_json(arguments)}}),
                            {"desk:read"}, capabilities);
  }
  static std::int64_t code_of(const Json& body) {
    const Json* error = body.find("error");
    return error == nullptr ? 0 : error->integer_at("code").value_or(0);
  }
  Json complete(const char* ref, const char* argument) {
    return features_.answer("completion/complete",
                            Json::object({{"ref", *parse_json(ref)}, {"argument", *parse_json(argument)}}));
  }
  FeatureServer features_;
};

TEST_F(PromptMethods, AreDeclaredAndListed) {
  const Json discover = *features_.answer("server/discover", Json::object()).find("result");
  EXPECT_EQ(*discover.find("capabilities")->find("prompts"), *parse_json(R"({"listChanged":true})"));
  EXPECT_EQ(*discover.find("capabilities")->find("completions"), Json::object());
  const Json list = *features_.answer("prompts/list", Json::object()).find("result");
  ASSERT_EQ(list.find("prompts")->size(), 2U);
  EXPECT_EQ(list.find("prompts")->elements()[0].string_at("name"), "greet");
  EXPECT_EQ(list.integer_at("ttlMs"), 60'000);
}

TEST_F(PromptMethods, GiveMessages) {
  const Json body = get("greet", R"({"who":"Rowan"})");
  const Json& result = *body.find("result");
  EXPECT_EQ(result.string_at("resultType"), "complete");
  EXPECT_EQ(*result.find("messages"),
            *parse_json(R"([{"role":"user","content":{"type":"text","text":"Greet Rowan."}}])"));
}

TEST_F(PromptMethods, RefuseUnknownNamesAndOtherArguments) {
  EXPECT_EQ(code_of(get("nobody", "{}")), -32602);
  EXPECT_EQ(code_of(get("greet", "{}")), -32602);
  EXPECT_EQ(code_of(get("greet", R"({"who":"a","role":"system"})")), -32602);
  EXPECT_EQ(code_of(get("greet", R"({"who":["a"]})")), -32602);
  EXPECT_EQ(code_of(get("greet", R"({"who":"a","tone":"kind"})")), 0);
}

TEST_F(PromptMethods, AskForInputOnlyOfThoseWhoDeclareIt) {
  EXPECT_EQ(code_of(get("ask", "{}")), -32021);
  const Json body = get("ask", "{}", R"({"elicitation":{"url":{}}})");
  EXPECT_EQ(body.find("result")->string_at("resultType"), "input_required");
}

TEST_F(PromptMethods, CompleteInTheOrderOfRelevance) {
  const Json body = complete(R"({"type":"ref/prompt","name":"greet"})", R"({"name":"who","value":""})");
  const Json& completion = *body.find("result")->find("completion");
  EXPECT_EQ(*completion.find("values"), *parse_json(R"(["rowan","quinn","avery"])"));
  EXPECT_EQ(completion.boolean_at("hasMore"), false);
}

TEST_F(PromptMethods, CompleteWithAtMostAHundredValues) {
  const Json body = complete(R"({"type":"ref/resource","uri":"note://by/{id}"})", R"({"name":"id","value":"x"})");
  const Json& completion = *body.find("result")->find("completion");
  ASSERT_EQ(completion.find("values")->size(), 100U);
  EXPECT_EQ(completion.find("values")->elements()[99], Json("x99"));
  EXPECT_EQ(completion.integer_at("total"), 150);
  EXPECT_EQ(completion.boolean_at("hasMore"), true);
}

TEST_F(PromptMethods, CompleteNothingForAnArgumentWithoutProposals) {
  const Json body = complete(R"({"type":"ref/prompt","name":"greet"})", R"({"name":"tone","value":"k"})");
  EXPECT_EQ(body.find("result")->find("completion")->find("values")->size(), 0U);
}

TEST_F(PromptMethods, RefuseCompletionsOfWhatIsNotThere) {
  for (const char* ref : {R"({"type":"ref/prompt","name":"nobody"})", R"({"type":"ref/resource","uri":"note://a"})",
                          R"({"type":"ref/tool","name":"greet"})", R"("greet")"}) {
    EXPECT_EQ(code_of(complete(ref, R"({"name":"who","value":""})")), -32602) << ref;
  }
  EXPECT_EQ(code_of(complete(R"({"type":"ref/prompt","name":"greet"})", R"({"name":"who","value":7})")), -32602);
  EXPECT_TRUE(test::refused(
      features_.accept(
          "completion/complete",
          *parse_json(R"({"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":""}})"),
          {"other"}),
      "token.insufficient_scope"));
}

}  // namespace
}  // namespace postern::mcp
