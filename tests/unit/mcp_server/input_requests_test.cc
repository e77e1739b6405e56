// Proves what a handler may ask of a client: only what the revision has, and only what this request declared (MCP
// 2026-07-28 basic/patterns/mrtr, client/elicitation).
#include "services/mcp/input_requests.h"

#include <gtest/gtest.h>

#include "services/mcp/failures.h"
#include "tests/support/refused.h"

namespace postern::mcp {
namespace {

using test::refused;
using test::succeeded;

Json json_of(const char* text) {
  return *parse_json(text);
}

InputRequiredResult asking(const char* method, const char* params) {
  InputRequiredResult result;
  result.input_requests.push_back({"first", method, json_of(params)});
  return result;
}

const Json kUrl = *parse_json(R"({"elicitation":{"url":{}}})");
const Json kForm = *parse_json(R"({"elicitation":{"form":{}}})");
const Json kNothing = Json::object();
constexpr const char* kLink = R"({"mode":"url","message":"Wait.","url":"http://127.0.0.1:8940/approvals/APR-0001"})";
constexpr const char* kQuestion = R"({"message":"Which?","requestedSchema":{"type":"object","properties":{}}})";

TEST(InputRequests, AskOrHoldAState) {
  EXPECT_TRUE(refused(check_input_required(InputRequiredResult{}, kUrl), "mcp.bad_input_request"));
  InputRequiredResult state;
  state.request_state = "";
  EXPECT_TRUE(succeeded(check_input_required(state, kNothing)));
  EXPECT_TRUE(succeeded(check_input_required(asking("elicitation/create", kLink), kUrl)));
}

TEST(InputRequests, AskOnlyForModesThatWereDeclared) {
  const auto link = check_input_required(asking("elicitation/create", kLink), kForm);
  ASSERT_TRUE(refused(link, "mcp.missing_client_capability"));
  EXPECT_EQ(link.error().as<MissingClientCapability>()->required, kUrl);
  EXPECT_TRUE(refused(check_input_required(asking("elicitation/create", kLink), json_of(R"({"elicitation":{}})")),
                      "mcp.missing_client_capability"));
  const auto form = check_input_required(asking("elicitation/create", kQuestion), kUrl);
  ASSERT_TRUE(refused(form, "mcp.missing_client_capability"));
  EXPECT_EQ(form.error().as<MissingClientCapability>()->required, kForm);
  for (const char* declared : {R"({"elicitation":{}})", R"({"elicitation":{"form":{}}})"}) {
    EXPECT_TRUE(succeeded(check_input_required(asking("elicitation/create", kQuestion), json_of(declared))))
        << declared;
  }
  EXPECT_TRUE(refused(check_input_required(asking("roots/list", "{}"), kUrl), "mcp.missing_client_capability"));
  EXPECT_TRUE(
      refused(check_input_required(asking("sampling/createMessage", "{}"), kUrl), "mcp.missing_client_capability"));
}

TEST(InputRequests, HaveAKeyOfTheirOwnAndAKindOfTheRevision) {
  InputRequiredResult twice = asking("elicitation/create", kLink);
  twice.input_requests.push_back(twice.input_requests.front());
  EXPECT_TRUE(refused(check_input_required(twice, kUrl), "mcp.bad_input_request"));
  twice.input_requests.back().key = "second";
  EXPECT_TRUE(succeeded(check_input_required(twice, kUrl)));
  for (const char* method : {"ping", "tools/call", "elicitation/update", ""}) {
    EXPECT_TRUE(refused(check_input_required(asking(method, kLink), kUrl), "mcp.bad_input_request")) << method;
  }
}

TEST(InputRequests, HaveTheMembersOfTheirMode) {
  const Json able = json_of(R"({"elicitation":{"url":{},"form":{}}})");
  const char* malformed[] = {
      R"({"mode":"url","url":"http://127.0.0.1:1/"})",
      R"({"mode":"url","message":"m"})",
      R"({"mode":"url","message":"m","url":"javascript:x"})",
      R"({"mode":"mail","message":"m","url":"http://127.0.0.1:1/"})",
      R"({"message":"m"})",
      R"({"mode":"form","message":"m","requestedSchema":{"type":"string"}})",
  };
  for (const char* params : malformed) {
    EXPECT_TRUE(refused(check_input_required(asking("elicitation/create", params), able), "mcp.bad_input_request"))
        << params;
  }
}

}  // namespace
}  // namespace postern::mcp
