#include <gtest/gtest.h>

#include "issuer/code_store.h"
#include "issuer/consents.h"
#include "issuer/device_codes.h"
#include "issuer/refresh_tokens.h"
#include "issuer/registered_clients.h"
#include "issuer/sign_in_sessions.h"
#include "issuer/tickets.h"
#include "tests/unit/issuer/training_issuer.h"

namespace postern::issuer {
namespace {

class Stores : public testing::Test {
 protected:
  AuthorizationRequest request() const {
    AuthorizationRequest request;
    request.address = {clients_.find("postern-host"), test::kHostRedirect, "s"};
    request.challenge = CodeChallenge::of_text(test::kChallenge);
    request.resource = test::kDesk;
    request.scope = ScopeSet{"desk:read"};
    return request;
  }
  Grant grant() { return make_grant(random_, request(), *people_.find("rowan"), clock_.now()); }
  CodeGrant code_grant() { return {grant(), test::kHostRedirect, *CodeChallenge::of_text(test::kChallenge)}; }

  test::ManualClock clock_;
  test::SeededRandom random_;
  NoTap tap_;
  Env env_{clock_, random_, tap_};
  Clients clients_ = *Clients::of_json(*parse_json(test::kClientsJson));
  People people_ = People::embedded();
};

TEST_F(Stores, KeepABoundedNumberOfCodes) {
  CodeStore codes(env_);
  const std::string first = codes.issue(code_grant());
  const std::string second = codes.issue(code_grant());
  for (std::size_t i = 1; i < CodeStore::kCodesMax; ++i) static_cast<void>(codes.issue(code_grant()));
  EXPECT_FALSE(codes.take(first).has_value());
  EXPECT_TRUE(codes.take(second).has_value());
  EXPECT_FALSE(codes.take(second).has_value());
}

TEST_F(Stores, KeepABoundedNumberOfRequestsThatWait) {
  Tickets<AuthorizationRequest> pending(env_);
  const auto first = pending.keep(request());
  const auto second = pending.keep(request());
  for (std::size_t i = 1; i < Tickets<AuthorizationRequest>::kTicketsMax; ++i)
    static_cast<void>(pending.keep(request()));
  EXPECT_FALSE(pending.take(first.id, first.form_token).has_value());
  EXPECT_FALSE(pending.take(second.id, first.form_token).has_value());
  EXPECT_TRUE(pending.take(second.id, second.form_token).has_value());
}

TEST_F(Stores, KeepABoundedNumberOfRefreshTokenFamilies) {
  RefreshTokens tokens(env_);
  const auto any = [](const Grant&) -> Status { return {}; };
  const std::string first = tokens.start(grant());
  clock_.advance(Seconds(1));
  const std::string second = tokens.start(grant());
  clock_.advance(Seconds(1));
  for (std::size_t i = 2; i < RefreshTokens::kFamiliesMax; ++i) static_cast<void>(tokens.start(grant()));
  clock_.advance(Seconds(1));
  const auto used = tokens.use(first, "postern-host", any);  // so that the second is the one that was used longest ago
  ASSERT_TRUE(test::succeeded(used));
  static_cast<void>(tokens.start(grant()));
  EXPECT_TRUE(test::refused(tokens.use(second, "postern-host", any), "issuer.oauth_error"));
  EXPECT_TRUE(test::succeeded(tokens.use(used->next_token, "postern-host", any)));
}

TEST_F(Stores, LoseTheClientsThatNobodyUsesFirst) {
  RegisteredClients clients(env_);
  const std::string used = clients.add(Client{}).client->client_id;
  clients.note_use(used);
  clock_.advance(Seconds(1));
  const std::string unused = clients.add(Client{}).client->client_id;
  clock_.advance(Seconds(1));
  for (std::size_t i = 2; i <= RegisteredClients::kClientsMax; ++i) static_cast<void>(clients.add(Client{}));
  EXPECT_NE(clients.find(used), nullptr);
  EXPECT_EQ(clients.find(unused), nullptr);
}

TEST_F(Stores, KeepABoundedNumberOfDevices) {
  DeviceCodes devices(env_);
  const auto start = [&] { return devices.start(clients_.find("night-shift"), {ScopeSet{"desk:read"}, test::kDesk}); };
  const auto first = start();
  const auto second = start();
  for (std::size_t i = 1; i < DeviceCodes::kDevicesMax; ++i) static_cast<void>(start());
  EXPECT_FALSE(devices.find(first.user_code).has_value());
  EXPECT_TRUE(devices.find(second.user_code).has_value());
}

TEST_F(Stores, KeepABoundedNumberOfConsents) {
  Consents consents;
  AuthorizationRequest asked = request();
  asked.address.client = clients_.find("night-shift");
  const Person& rowan = *people_.find("rowan");
  consents.remember(rowan, asked);
  EXPECT_FALSE(consents.must_ask(rowan, asked));
  for (std::size_t i = 0; i < Consents::kConsentsMax; ++i) {
    AuthorizationRequest other = asked;
    other.resource = std::to_string(i);
    consents.remember(rowan, other);
  }
  EXPECT_TRUE(consents.must_ask(rowan, asked));
}

HttpRequest with_cookies(std::initializer_list<std::string> cookies) {
  HttpRequest request;
  for (const std::string& cookie : cookies) request.headers.add("Cookie", cookie);
  return request;
}

TEST_F(Stores, FindASessionByItsOneCookie) {
  SignInSessions sessions(env_);
  const SignInSessions::Started started = sessions.start({"rowan", clock_.now()});
  const std::string& set_cookie = started.set_cookie;
  const std::string cookie = set_cookie.substr(0, set_cookie.find(';'));
  ASSERT_TRUE(sessions.find(with_cookies({"a=b; " + cookie + "; c=d"})).has_value());
  EXPECT_EQ(sessions.find(with_cookies({cookie}))->subject, "rowan");
  EXPECT_EQ(SignInSessions::key_of(with_cookies({cookie})), started.key);
  EXPECT_EQ(SignInSessions::key_of(with_cookies({})), "");
  EXPECT_FALSE(sessions.find(with_cookies({})).has_value());
  EXPECT_FALSE(sessions.find(with_cookies({"x" + cookie})).has_value());
  EXPECT_FALSE(sessions.find(with_cookies({cookie + "x"})).has_value());
  // Cookies cross ports: a second one of the name may be somebody else's.
  EXPECT_FALSE(sessions.find(with_cookies({cookie + "; __Host-postern-issuer=x"})).has_value());
  EXPECT_FALSE(sessions.find(with_cookies({cookie, cookie})).has_value());
  for (std::size_t i = 0; i < SignInSessions::kSessionsMax; ++i)
    static_cast<void>(sessions.start({"quinn", clock_.now()}));
  EXPECT_FALSE(sessions.find(with_cookies({cookie})).has_value());
}

}  // namespace
}  // namespace postern::issuer
