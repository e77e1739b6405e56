// Proves that callers are held to their limits over HTTP: strangers by address before their token is looked at,
// verified callers by principal, tool calls in words.
#include "services/desk/caller_limits.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/unit/desk/desk_world.h"

namespace postern::desk {
namespace {

using test::DeskWorld;
using test::refused;
using test::succeeded;

constexpr CallerLimitOptions kSmall{{1, 4}, {1, 3}};

TEST(CallerLimits, DrawCallsAndOtherRequestsOfOnePrincipalFromOneBucket) {
  const test::ManualClock clock;
  CallerLimits limits(clock, kSmall);
  const services::StdioLaunch rowan("rowan");
  const services::StdioLaunch quinn("quinn");
  EXPECT_TRUE(succeeded(limits.admit_call(rowan.principal())));
  EXPECT_TRUE(succeeded(limits.admit_request(rowan.principal())));
  EXPECT_TRUE(succeeded(limits.admit_call(rowan.principal())));
  EXPECT_TRUE(succeeded(limits.admit_request(rowan.principal())));
  EXPECT_TRUE(refused(limits.admit_call(rowan.principal()), "gate.call_limit_reached"));
  EXPECT_TRUE(refused(limits.admit_request(rowan.principal()), "gate.request_limit_reached"));
  EXPECT_TRUE(succeeded(limits.admit_call(quinn.principal())));
}

class LimitedDesk : public testing::Test {
 protected:
  HttpRequest discover(const std::string& token, const char* address = "192.0.2.7") const {
    HttpRequest request = DeskWorld::post(token, "server/discover", Json::object());
    request.peer_address = address;
    return request;
  }
  HttpRequest without_token() const {
    HttpRequest request = discover("x");
    HeaderList headers;
    for (const HeaderField& field : request.headers.fields()) {
      if (field.name != "Authorization") headers.add(field.name, field.value);
    }
    request.headers = headers;
    return request;
  }
  static HttpRequest stray(const char* address = "192.0.2.7") {
    HttpRequest request;
    request.method = "GET";
    request.target = "/.env";
    request.headers.add("Host", test::kHostAuthority);
    request.peer_address = address;
    return request;
  }
  int status_of(const HttpRequest& request) { return world_.send(request).status; }
  // How many of the requests are answered like that before the first 429.
  int answered(const HttpRequest& request, int status) {
    int count = 0;
    while (count < 50 && status_of(request) == status) ++count;
    EXPECT_EQ(status_of(request), count < 50 ? 429 : status);
    return count;
  }
  DeskWorld world_{kSmall};
};

TEST_F(LimitedDesk, RefusesAnAddressThatHasNoTokenBeforeItLooksAtOne) {
  EXPECT_EQ(answered(without_token(), 401), 3);
  const HttpResponse refusal = world_.send(discover(world_.token()));
  ASSERT_EQ(refusal.status, 429);
  EXPECT_EQ(*refusal.headers.find("Retry-After"), "1");
  EXPECT_FALSE(refusal.headers.has("WWW-Authenticate"));
  EXPECT_EQ(refusal.body, R"({"error":"too_many_requests"})");
  EXPECT_EQ(world_.services.count("GET"), 0);  // the good token was not looked at: nobody asked for the issuer's keys
  EXPECT_EQ(status_of(discover(world_.token(), "192.0.2.8")), 200);
  world_.env_.clock.advance(Seconds(1));
  EXPECT_EQ(status_of(discover(world_.token())), 200);
}

TEST_F(LimitedDesk, CountsTokensThatAreNone) {
  EXPECT_EQ(answered(discover("bad"), 401), 3);
}

TEST_F(LimitedDesk, CountsRefusalsThatNeededTheIssuersKeys) {
  EXPECT_EQ(answered(discover(world_.tokens.token_with("aud", "http://127.0.0.1:8950/mcp")), 401), 3);
}

TEST_F(LimitedDesk, DrawsNothingFromAnAddressForAGoodToken) {
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(status_of(discover(world_.token("rowan"))), 200) << i;
    if (i % 4 == 3) world_.env_.clock.advance(Seconds(4));
  }
  EXPECT_EQ(answered(discover("bad"), 401), 3);
}

TEST_F(LimitedDesk, DoesNotHoldAnOutageOfTheIssuerAgainstACaller) {
  world_.services.issuer_down = true;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(status_of(discover(world_.token())), 503);
}

TEST_F(LimitedDesk, HoldsThoseWhoLookForPathsToALimitWithoutClosingTheEndpoint) {
  EXPECT_EQ(answered(stray(), 404), 3);
  EXPECT_TRUE(world_.send(stray()).headers.has("Retry-After"));
  EXPECT_EQ(status_of(stray("192.0.2.8")), 404);
  EXPECT_EQ(status_of(discover(world_.token())), 200);
}

TEST_F(LimitedDesk, CountsTheNetworkOfAnIpv6Address) {
  EXPECT_EQ(answered(discover("bad", "2001:db8::1"), 401), 3);
  EXPECT_EQ(status_of(discover("bad", "2001:db8::2")), 429);
  EXPECT_EQ(status_of(discover("bad", "2001:db8:0:1::1")), 401);
}

// MCP 2026-07-28 server/tools: a result that the model can read, and nothing was done.
TEST_F(LimitedDesk, TellsAModelInWordsWhenToCallAgain) {
  const Json ticket = Json::object({{"ticket_id", "T-1042"}});
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(world_.call(world_.token(), "open_case", ticket).boolean_at("isError").value_or(false)) << i;
  }
  const std::string before = world_.downstream();
  const Json result = world_.call(world_.token(), "open_case", ticket);
  EXPECT_EQ(world_.last_status, 200);
  EXPECT_EQ(result.boolean_at("isError"), true) << result.dump();
  const std::string text = DeskWorld::text_of(result);
  EXPECT_NE(text.find("Nothing was done"), std::string::npos) << text;
  EXPECT_NE(text.find("Do not try again before 1 second"), std::string::npos) << text;
  EXPECT_EQ(world_.downstream(), before);
  EXPECT_FALSE(world_.call(world_.token("quinn"), "open_case", Json::object({{"ticket_id", "T-1043"}})).is_null());
  EXPECT_EQ(world_.last_status, 200);
  world_.env_.clock.advance(Seconds(1));
  EXPECT_FALSE(world_.call(world_.token(), "open_case", ticket).boolean_at("isError").value_or(false));
}

// Arguments are held against a schema, which costs more than to say no.
TEST_F(LimitedDesk, CountsToolCallsThatCannotBeMade) {
  const Json invalid = Json::object({{"ticket_id", 5}});
  for (const char* tool : {"open_case", "nobody", "open_case", "nobody"}) {
    EXPECT_EQ(DeskWorld::text_of(world_.call(world_.token(), tool, invalid)).find("Do not try again"),
              std::string::npos);
  }
  for (const char* tool : {"open_case", "nobody"}) {
    const Json result = world_.call(world_.token(), tool, invalid);
    EXPECT_EQ(world_.last_status, 200);
    EXPECT_NE(DeskWorld::text_of(result).find("Do not try again"), std::string::npos) << result.dump();
  }
}

TEST_F(LimitedDesk, CountsWhatOfAVerifiedCallerIsRefusedOrOnlyTaken) {
  HttpRequest broken = discover(world_.token());
  broken.body = "{";
  HttpRequest text = discover(world_.token());
  text.headers.set("Content-Type", "text/plain");
  HttpRequest notification = discover(world_.token());
  notification.body = R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})";
  EXPECT_EQ(status_of(broken), 400);
  EXPECT_EQ(status_of(text), 415);
  EXPECT_EQ(status_of(notification), 202);
  EXPECT_EQ(status_of(DeskWorld::post(world_.token(), "ping", Json::object())), 404);
  for (const HttpRequest* request : {&broken, &text, &notification}) {
    const HttpResponse refusal = world_.send(*request);
    EXPECT_EQ(refusal.status, 429);
    EXPECT_TRUE(refusal.headers.has("Retry-After"));
  }
  EXPECT_EQ(status_of(discover(world_.token("quinn"))), 200);
}

// Whoever drives a model can do nothing with a 429, and its refusal says more.
TEST_F(LimitedDesk, LeavesARefusedToolCallItsRefusalAndCountsIt) {
  HttpRequest mismatch = DeskWorld::post(world_.token(), "tools/call",
                                         Json::object({{"name", "open_case"}, {"arguments", Json::object()}}));
  mismatch.headers.set("Mcp-Name", "get_ticket");
  for (int i = 0; i < 6; ++i) EXPECT_EQ(status_of(mismatch), 400) << i;
  EXPECT_EQ(status_of(discover(world_.token())), 429);
}

TEST_F(LimitedDesk, AnswersOtherMethodsOverTheLimitWith429) {
  EXPECT_EQ(answered(discover(world_.token()), 200), 4);
  const HttpResponse refusal = world_.send(discover(world_.token()));
  ASSERT_TRUE(refusal.headers.has("Retry-After"));
  EXPECT_EQ(*refusal.headers.find("Retry-After"), "1");
  const Json body = *parse_json(refusal.body);
  EXPECT_EQ(body.integer_at("id"), 7);
  EXPECT_EQ(body.find("error")->integer_at("code"), -32600);
  EXPECT_EQ(status_of(discover(world_.token("quinn"))), 200);
}

}  // namespace
}  // namespace postern::desk
