#include <gtest/gtest.h>

#include "issuer/device_endpoint.h"
#include "tests/support/refused.h"
#include "tests/unit/issuer/training_issuer.h"

namespace postern::issuer {
namespace {

class Device : public test::TrainingIssuer {
 protected:
  HttpResponse ask(Changes changes = {}) {
    return post(
        "/device_authorization",
        changed({{"client_id", "night-shift"}, {"resource", test::kDesk}, {"scope", "desk:read offline_access"}},
                changes));
  }
  HttpResponse poll(const Json& device, const char* client = "night-shift") {
    return post("/token", {{"grant_type", std::string(kDeviceGrantType)},
                           {"device_code", std::string(device.string_at("device_code"))},
                           {"client_id", client}});
  }
  HttpResponse enter(std::string_view code) { return post("/device", {{"user_code", std::string(code)}}, own_page()); }
  // From the entry of the code to the page that asks for consent.
  HttpResponse sign_in(std::string_view code, const char* person = "rowan") {
    HttpResponse page = enter(code);
    EXPECT_NE(page.body.find("Who is signing in?"), std::string::npos) << page.body;
    HttpResponse answer = post("/authorize", form_of(page, person), own_page());
    if (const std::string* cookie = answer.headers.find("Set-Cookie")) cookie_ = cookie->substr(0, cookie->find(';'));
    return answer;
  }
  void wait() { clock_.advance(DeviceCodes::kInterval); }
};

TEST_F(Device, GetsTokensWhenAPersonAllowsIt) {
  const Json device = json_of(ask());
  EXPECT_EQ(device.string_at("verification_uri"), "http://127.0.0.1:8930/device");
  EXPECT_EQ(device.integer_at("expires_in"), 600);
  EXPECT_EQ(device.integer_at("interval"), 5);
  const std::string code(device.string_at("user_code"));
  EXPECT_EQ(code.size(), 9U);
  EXPECT_EQ(code.find_first_not_of("BCDFGHJKLMNPQRSTVWXZ-"), std::string::npos);
  EXPECT_EQ(error_of(poll(device)), "authorization_pending");

  std::string typed = code;
  for (char& c : typed) c = c == '-' ? ' ' : static_cast<char>(c - 'A' + 'a');
  const HttpResponse page = sign_in(typed);
  EXPECT_NE(page.body.find("The answer goes to the device that shows " + code), std::string::npos);
  const HttpResponse done = decide(page, "allow");
  EXPECT_EQ(done.status, 200);
  EXPECT_NE(done.body.find("The device may go on"), std::string::npos);
  wait();
  const Json tokens = json_of(poll(device));
  EXPECT_TRUE(tokens.has("access_token"));
  EXPECT_TRUE(tokens.has("refresh_token"));
  EXPECT_EQ(tokens.string_at("scope"), "desk:read offline_access");
  wait();
  EXPECT_EQ(error_of(poll(device)), "invalid_grant");  // once
  EXPECT_EQ(enter(code).status, 400);
}

TEST_F(Device, FillsTheFieldAndNothingElseFromItsAddress) {
  const Json device = json_of(ask());
  const std::string code(device.string_at("user_code"));
  EXPECT_EQ(device.string_at("verification_uri_complete"), "http://127.0.0.1:8930/device?user_code=" + code);
  const HttpResponse page = get("/device?user_code=" + code);
  EXPECT_NE(page.body.find("value=\"" + code + "\""), std::string::npos);
  EXPECT_EQ(get("/device?user_code=%3Cscript%3E").body.find("script"), std::string::npos);
  EXPECT_EQ(error_of(poll(device)), "authorization_pending");
  EXPECT_EQ(post("/device", {{"user_code", code}}).status, 403);  // a form from elsewhere
}

TEST_F(Device, GetsNothingWhenAPersonDenies) {
  const Json device = json_of(ask());
  const HttpResponse answer = decide(sign_in(device.string_at("user_code")), "deny");
  EXPECT_NE(answer.body.find("The device gets nothing"), std::string::npos);
  EXPECT_EQ(error_of(poll(device)), "access_denied");
  const Json other = json_of(ask({{"scope", "refunds:write"}}));
  EXPECT_EQ(sign_in(other.string_at("user_code"), "morgan").status, 200);  // who may not hold it
  EXPECT_EQ(error_of(poll(other)), "access_denied");
}

// Somebody else may have sent the code, so what was allowed before counts for nothing here.
TEST_F(Device, IsAlwaysAskedFor) {
  ASSERT_EQ(allow(host_request({{"client_id", "night-shift"}}), "rowan").status, 303);
  for (int i = 0; i < 2; ++i) {
    const Json device = json_of(ask({{"scope", "desk:read"}}));
    EXPECT_NE(decide(sign_in(device.string_at("user_code")), "allow").body.find("may go on"), std::string::npos);
  }
}

TEST_F(Device, IsToldToSlowDown) {
  const Json device = json_of(ask());
  EXPECT_EQ(error_of(poll(device)), "authorization_pending");
  clock_.advance(Milliseconds(4999));
  EXPECT_EQ(error_of(poll(device)), "slow_down");
  clock_.advance(Seconds(5));
  EXPECT_EQ(error_of(poll(device)), "slow_down");  // it is ten seconds now, and fifteen from here
  clock_.advance(Seconds(15));
  EXPECT_EQ(error_of(poll(device)), "authorization_pending");
}

TEST_F(Device, WaitsTenMinutes) {
  const Json device = json_of(ask());
  const HttpResponse page = sign_in(device.string_at("user_code"));
  clock_.advance(Seconds(599));
  EXPECT_EQ(error_of(poll(device)), "authorization_pending");
  clock_.advance(Seconds(1));
  EXPECT_EQ(error_of(poll(device)), "expired_token");
  EXPECT_EQ(enter(device.string_at("user_code")).status, 400);
  EXPECT_EQ(decide(page, "allow").status, 403);
}

TEST_F(Device, CodesCannotBeGuessedThroughThePage) {
  const Json device = json_of(ask());
  for (int i = 0; i < DeviceEndpoint::kWrongCodesMax; ++i) EXPECT_EQ(enter("BBBB-BBBB").status, 400) << i;
  const HttpResponse busy = enter(device.string_at("user_code"));
  EXPECT_EQ(busy.status, 429);
  EXPECT_TRUE(busy.headers.has("Retry-After"));
  clock_.advance(Seconds(60));
  EXPECT_EQ(enter(device.string_at("user_code")).status, 200);
}

TEST_F(Device, IsForClientsOfThatGrant) {
  EXPECT_EQ(error_of(ask({{"client_id", "postern-host"}})), "unauthorized_client");
  EXPECT_EQ(error_of(ask({{"client_id", "nobody"}})), "invalid_client");
  EXPECT_EQ(error_of(ask({{"resource", test::kPage}})), "invalid_target");
  EXPECT_EQ(error_of(ask({{"scope", "refunds:approve"}})), "invalid_scope");
  EXPECT_EQ(error_of(poll(json_of(ask()), "postern-host")), "invalid_grant");
  for (int i = 0; i < DeviceEndpoint::kStartsMax; ++i) static_cast<void>(ask());
  EXPECT_EQ(ask().status, 429);
}

}  // namespace
}  // namespace postern::issuer
