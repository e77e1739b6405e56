// Proves the order of checks over HTTP: Host and Origin, method, bearer, message, scope, handle; and what each refusal
// shows.
#include <gtest/gtest.h>

#include "tests/unit/desk/desk_world.h"

namespace postern::desk {
namespace {

using test::DeskWorld;

constexpr const char* kMetadataPath = "/.well-known/oauth-protected-resource/mcp";

class DeskRoutes : public testing::Test {
 protected:
  HttpRequest discover(const std::string& token) const {
    return DeskWorld::post(token, "server/discover", Json::object());
  }
  HttpRequest get(const char* target) const {
    HttpRequest request;
    request.method = "GET";
    request.target = target;
    request.headers.add("Host", test::kHostAuthority);
    return request;
  }
  int status_of(const HttpRequest& request) { return world_.send(request).status; }
  std::string challenge_of(const HttpRequest& request) {
    const HttpResponse response = world_.send(request);
    const std::string* challenge = response.headers.find("WWW-Authenticate");
    return challenge == nullptr ? "" : *challenge;
  }
  DeskWorld world_;
};

TEST_F(DeskRoutes, ServeACallerWithAToken) {
  const HttpResponse response = world_.send(discover(world_.token()));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(*response.headers.find("Cache-Control"), "no-store");
  EXPECT_FALSE(response.headers.has("Mcp-Session-Id"));
}

TEST_F(DeskRoutes, RefuseForeignHostAndOriginBeforeAnythingElse) {
  HttpRequest request = discover("no token at all");
  request.headers.set("Host", "evil.example.com");
  EXPECT_EQ(status_of(request), 403);
  request.headers.set("Host", test::kHostAuthority);
  for (const char* origin : {"http://evil.example.com", "null", "https://127.0.0.1:8931", "http://127.0.0.1:8932"}) {
    request.headers.set("Origin", origin);
    EXPECT_EQ(status_of(request), 403) << origin;
  }
  EXPECT_EQ(world_.services.count("GET"), 0);  // nobody asked the issuer for a key
  HttpRequest own = discover(world_.token());
  for (const char* origin : {"http://127.0.0.1:8931", "http://localhost:8931"}) {
    own.headers.set("Origin", origin);
    EXPECT_EQ(status_of(own), 200) << origin;
  }
  own.headers.set("Host", "localhost:8931");
  EXPECT_EQ(status_of(own), 200);
}

TEST_F(DeskRoutes, RefuseRepeatedOrMissingHost) {
  HttpRequest request = discover(world_.token());
  request.headers.add("Host", test::kHostAuthority);
  EXPECT_EQ(status_of(request), 400);
  HttpRequest without = get(kMetadataPath);
  without.headers = HeaderList();
  EXPECT_EQ(status_of(without), 400);
}

TEST_F(DeskRoutes, RefuseTheMethodBeforeTheToken) {
  HttpRequest request = get("/mcp");
  const HttpResponse response = world_.send(request);
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(*response.headers.find("Allow"), "POST");
  request.method = "DELETE";
  EXPECT_EQ(status_of(request), 405);
}

TEST_F(DeskRoutes, ChallengeACallerWithoutAToken) {
  HttpRequest request = discover("x");
  HeaderList headers;
  for (const HeaderField& field : request.headers.fields()) {
    if (field.name != "Authorization") headers.add(field.name, field.value);
  }
  request.headers = headers;
  const HttpResponse response = world_.send(request);
  EXPECT_EQ(response.status, 401);
  const std::string challenge = challenge_of(request);
  EXPECT_NE(challenge.find(std::string("resource_metadata=\"http://127.0.0.1:8931") + kMetadataPath + "\""),
            std::string::npos);
  EXPECT_NE(challenge.find("scope=\"desk:read\""), std::string::npos);
  EXPECT_EQ(challenge.find("error="), std::string::npos);  // RFC 6750 section 3.1
  EXPECT_EQ(response.body, R"({"error":"token_required"})");
}

TEST_F(DeskRoutes, RefuseTokensThatAreNotForThisServer) {
  const std::pair<const char*, Json> changes[] = {
      {"aud", Json("http://127.0.0.1:8950/mcp")},
      {"aud", Json("http://127.0.0.1:8931")},
      {"iss", Json("http://127.0.0.1:9999")},
      {"exp", Json(unix_seconds(world_.env_.clock.now()) - 6)},
  };
  for (const auto& [name, value] : changes) {
    const HttpRequest request = discover(world_.tokens.token_with(name, value));
    EXPECT_EQ(status_of(request), 401) << name;
    EXPECT_NE(challenge_of(request).find("error=\"invalid_token\""), std::string::npos) << name;
  }
  EXPECT_EQ(status_of(discover(world_.tokens.token())), 200);
}

TEST_F(DeskRoutes, RefuseTheTokenBeforeTheBodyIsLookedAt) {
  HttpRequest request = discover("not-a-token");
  request.body = "{";
  request.headers.set("Content-Type", "text/plain");
  EXPECT_EQ(status_of(request), 401);
  request.headers.set("Authorization", "Bearer " + world_.token());
  EXPECT_EQ(status_of(request), 415);
  request.headers.set("Content-Type", "application/json");
  EXPECT_EQ(status_of(request), 400);
}

TEST_F(DeskRoutes, AnswerUnavailableWhenTheIssuersKeysCannotBeHad) {
  world_.services.issuer_down = true;
  const HttpResponse response = world_.send(discover(world_.token()));
  EXPECT_EQ(response.status, 503);
  EXPECT_TRUE(response.headers.has("Retry-After"));
  EXPECT_FALSE(response.headers.has("WWW-Authenticate"));
  world_.services.issuer_down = false;
  world_.env_.clock.advance(Seconds(6));
  EXPECT_EQ(status_of(discover(world_.token())), 200);
}

TEST_F(DeskRoutes, FetchTheKeysInTheLaneAndVerifyOnTheLoopAfterwards) {
  const HttpRequest request = discover(world_.token());
  EXPECT_TRUE(std::holds_alternative<Blocking>(world_.routes.handle(request)));
  EXPECT_EQ(status_of(request), 200);
  EXPECT_TRUE(std::holds_alternative<HttpResponse>(world_.routes.handle(request)));
}

TEST_F(DeskRoutes, ShowTheMetadataOfTheResourceToAnybody) {
  const HttpResponse response = world_.send(get(kMetadataPath));
  EXPECT_EQ(response.status, 200);
  const Json metadata = *parse_json(response.body);
  EXPECT_EQ(metadata.string_at("resource"), test::kGateResource);
  EXPECT_EQ(*metadata.find("authorization_servers"), Json::array({test::kGateIssuer}));
  EXPECT_EQ(*metadata.find("scopes_supported"), Json::array({"desk:read"}));
  EXPECT_EQ(status_of(get("/.well-known/oauth-protected-resource")), 404);  // it would have to name the bare origin
}

// Whoever shares an address with a caller (an office, a machine) has no token, and cannot shut it out.
TEST(DeskRoutesOverTheLimitOfAnAddress, ServeATokenThatWasVerifiedBefore) {
  DeskWorld world(CallerLimitOptions{{100, 100}, {1, 3}});
  const std::string token = world.token();
  const HttpRequest good = DeskWorld::post(token, "server/discover", Json::object());
  const HttpRequest bad = DeskWorld::post("bad", "server/discover", Json::object());
  ASSERT_EQ(world.send(good).status, 200);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(world.send(bad).status, 401);
  EXPECT_EQ(world.send(bad).status, 429);
  EXPECT_EQ(world.send(good).status, 200);
  EXPECT_EQ(world.send(DeskWorld::post(world.token("quinn"), "server/discover", Json::object())).status, 429);
  world.env_.clock.advance(std::chrono::hours(24));
  EXPECT_EQ(world.send(good).status, 401);
}

TEST_F(DeskRoutes, ServeNothingElse) {
  EXPECT_EQ(status_of(get("/healthz")), 404);  // health has a listener of its own
  EXPECT_EQ(status_of(get("/")), 404);
}

TEST_F(DeskRoutes, RefuseReadingScopeForRefundsHoweverItIsClaimed) {  // A4
  const Json arguments = *parse_json(R"({"case_handle":"ch_x","line_id":"LN-1","amount_cents":4800,"reason":"r"})");
  Json params = Json::object({{"name", "issue_refund"}, {"arguments", arguments}});
  params.set("_meta", *parse_json(R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",
      "io.modelcontextprotocol/clientCapabilities":{"elicitation":{"url":{}}},"scope":"desk:read refunds:write"})"));
  HttpRequest request = DeskWorld::post(world_.token(), "tools/call", params);
  request.headers.add("Scope", "desk:read refunds:write");
  request.headers.add("X-Scopes", "refunds:write");
  EXPECT_EQ(status_of(request), 403);
  EXPECT_NE(challenge_of(request).find("scope=\"desk:read refunds:write\""), std::string::npos);
  EXPECT_EQ(world_.services.count("POST"), 0);
  request.headers.set("Authorization", "Bearer " + world_.token("rowan", test::kReadAndRefund));
  EXPECT_EQ(status_of(request), 200);
}

TEST_F(DeskRoutes, RefuseARefundWithoutUrlElicitationBeforeAnythingIsAsked) {  // B-057
  for (const char* capabilities : {"{}", R"({"elicitation":{}})"}) {
    Json params =
        *parse_json(R"({"name":"issue_refund","arguments":{"case_handle":"ch_rig_0000000001","amount_cents":4800}})");
    params.set("_meta", Json::object({{std::string(mcp::kMetaProtocolVersion), "2026-07-28"},
                                      {std::string(mcp::kMetaClientCapabilities), *parse_json(capabilities)}}));
    const HttpResponse response =
        world_.send(DeskWorld::post(world_.token("rowan", test::kReadAndRefund), "tools/call", params));
    EXPECT_EQ(response.status, 400);
    const Json error = *parse_json(response.body)->find("error");
    EXPECT_EQ(error.integer_at("code"), -32021);
    EXPECT_EQ(*error.find("data"), *parse_json(R"({"requiredCapabilities":{"elicitation":{"url":{}}}})"));
  }
  EXPECT_EQ(world_.services.count("POST"), 0);
}

}  // namespace
}  // namespace postern::desk
