// The profile of somebody else's server is read whole or refused, and nothing beyond this machine is attacked that it
// does not name.

#include "tests/lab/attack/profile.h"

#include <gtest/gtest.h>

#include "tests/lab/attack/server_target.h"
#include "tests/support/refused.h"
#include "tests/support/test_env.h"
#include "wire/base/file.h"

namespace postern::lab {
namespace {

using test::refused;
using test::succeeded;

constexpr std::string_view kGood = R"({"name":"a desk","hosts":["desk.example.test"],"issuer":"http://127.0.0.1:4500",
  "client_id":"postern-host","redirect_uri":"http://127.0.0.1/callback","other_resource":"http://127.0.0.1:4301/mcp",
  "people":{"rowan":{"login_hint":"rowan","tokens":{"expired":{"env":"EXPIRED"},"desk:read":{"file":"/tmp/t"}}}},
  "tools":{"open_case":{"arguments":{"ticket_id":"ticket"}},"get_ticket":null,"issue_refund":{"name":"refund","arguments":{"line_id":null}}},
  "approval":{"method":"POST"}})";

std::string with(std::string_view from, std::string_view to) {
  std::string text(kGood);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(AttackProfile, TakesAWholeOne) {
  const auto profile = profile_of_text("p.json", kGood);
  ASSERT_TRUE(succeeded(profile));
  EXPECT_EQ(profile->people.at("rowan").tokens.at("expired").environment, "EXPIRED");
  EXPECT_EQ(profile->tools.tool("issue_refund"), "refund");
  EXPECT_EQ(profile->tools.tool("get_ticket"), "");
  EXPECT_EQ(profile->tools.tool("get_order"), "get_order");
  EXPECT_EQ(profile->tools.arguments("open_case", Json::object({{"ticket_id", "T-1"}})),
            Json::object({{"ticket", "T-1"}}));
  EXPECT_EQ(profile->tools.arguments("issue_refund", Json::object({{"line_id", "LN-1"}, {"amount_cents", 1}})),
            Json::object({{"amount_cents", 1}}));
  EXPECT_FALSE(profile->tools.takes("issue_refund", "line_id"));
  EXPECT_TRUE(profile->tools.takes("issue_refund", "amount_cents"));
}

TEST(AttackProfile, NamesWhereTheLinksOfApprovalsLead) {
  const auto profile = profile_of_text("p.json", with("\"POST\"", "\"POST\",\"origin\":\"http://127.0.0.1:8080\""));
  ASSERT_TRUE(succeeded(profile));
  EXPECT_EQ(profile->approval.origin, "http://127.0.0.1:8080");
}

TEST(AttackProfile, RefusesWhatItDoesNotKnow) {
  const char* const broken[][2] = {{"\"hosts\"", "\"host\""},
                                   {"\"login_hint\"", "\"login\""},
                                   {"\"rowan\":{", "\"someone\":{"},
                                   {"\"env\":\"EXPIRED\"", "\"env\":\"EXPIRED\",\"file\":\"x\""},
                                   {"\"expired\"", "\"stale\""},
                                   {"\"POST\"", "\"GET\""},
                                   {"\"POST\"", "\"POST\",\"origin\":\"http://127.0.0.1:80/x\""},
                                   {"\"arguments\":{\"ticket_id\":\"ticket\"}", "\"arguments\":{\"ticket_id\":7}"},
                                   {"\"arguments\":{\"ticket_id\":\"ticket\"}", "\"argument\":{}"},
                                   {"\"client_id\":\"postern-host\",", ""},
                                   {"\"name\":\"a desk\",", ""}};
  for (const auto& [from, to] : broken) {
    EXPECT_TRUE(refused(profile_of_text("p.json", with(from, to)), "lab.bad_profile")) << from;
  }
  EXPECT_TRUE(refused(profile_of_text("p.json", "[]"), "lab.bad_profile"));
  EXPECT_TRUE(refused(profile_of_text("p.json", "{"), "lab.bad_profile"));
  EXPECT_TRUE(refused(read_profile("/nowhere/profile.json"), "lab.bad_profile"));
}

TEST(AttackProfile, AdmitsThisMachineAndTheHostsThatItNames) {
  const auto profile = profile_of_text("p.json", kGood);
  ASSERT_TRUE(succeeded(profile));
  EXPECT_TRUE(profile->admits(*parse_uri("http://127.0.0.1:1/mcp")));
  EXPECT_TRUE(profile->admits(*parse_uri("https://desk.example.test/mcp")));
  EXPECT_FALSE(profile->admits(*parse_uri("https://other.example.test/mcp")));
}

TEST(ServerTarget, AttacksNoHostThatTheProfileDoesNotName) {
  test::TestEnv env;
  const auto profile = profile_of_text("p.json", kGood);
  ASSERT_TRUE(succeeded(profile));
  EXPECT_TRUE(refused(make_server_target(env.env(), "https://other.example.test/mcp", *profile), "lab.host_not_named"));
  EXPECT_TRUE(succeeded(make_server_target(env.env(), "http://127.0.0.1:1/mcp", *profile)));
}

TEST(ServerTarget, GoesToNoHostThatTheServerNames) {
  test::TestEnv env;
  const auto profile = profile_of_text("p.json", kGood);
  ASSERT_TRUE(succeeded(profile));
  const auto target = make_server_target(env.env(), "http://127.0.0.1:1/mcp", *profile);
  ASSERT_TRUE(succeeded(target));
  EXPECT_TRUE(
      refused((*target)->decide("https://other.example.test/approve/1", "morgan", "page"), "lab.not_observable"));
}

TEST(ServerTarget, SaysWhatCannotBeSeen) {
  test::TestEnv env;
  const auto profile = profile_of_text("p.json", kGood);
  ASSERT_TRUE(succeeded(profile));
  const auto target = make_server_target(env.env(), "http://127.0.0.1:1/mcp", *profile);
  ASSERT_TRUE(succeeded(target));
  EXPECT_TRUE(refused((*target)->artefacts(), "lab.not_observable"));
  EXPECT_TRUE(refused((*target)->refunds("T-1042"), "lab.not_observable"));
  EXPECT_TRUE(refused((*target)->pay("link", {}), "lab.not_observable"));
  EXPECT_TRUE(refused((*target)->decide("http://127.0.0.1:1/a", "rowan", "step-up"), "lab.not_observable"));
  EXPECT_TRUE(refused((*target)->token("quinn", "desk:read", ""), "lab.not_observable"));
}

TEST(AttackProfile, ThePageNamesEveryKey) {
  const auto page = read_file(std::string(POSTERN_SOURCE_DIR) + "/docs/lab/profiles.md", 1 << 20);
  ASSERT_TRUE(succeeded(page));
  for (const char* key :
       {"name", "hosts", "issuer", "client_id", "redirect_uri", "other_resource", "people", "login_hint", "tokens",
        "env", "file", "tools", "arguments", "approval", "method", "bearer_scope"}) {
    EXPECT_NE(page->find("`" + std::string(key) + "`"), std::string::npos) << key;
  }
}

}  // namespace
}  // namespace postern::lab
