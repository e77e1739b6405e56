#include <gtest/gtest.h>

#include "issuer/code_store.h"
#include "issuer/pending_sign_ins.h"
#include "issuer/sign_in_sessions.h"
#include "tests/unit/issuer/training_issuer.h"

namespace postern::issuer {
namespace {

class Stores : public testing::Test {
 protected:
  AuthorizationRequest request() const {
    return {{&clients_.all().front(), test::kHostRedirect, "s"},
            *CodeChallenge::of_text(test::kChallenge),
            test::kDesk,
            ScopeSet{"desk:read"},
            "",
            std::nullopt,
            false};
  }
  Grant grant() const { return {request(), *people_.find("rowan"), clock_.now()}; }

  test::ManualClock clock_;
  test::SeededRandom random_;
  NoTap tap_;
  Env env_{clock_, random_, tap_};
  Clients clients_ = *Clients::of_json(*parse_json(test::kClientsJson));
  People people_ = People::embedded();
};

TEST_F(Stores, KeepABoundedNumberOfCodes) {
  CodeStore codes(env_);
  const std::string first = codes.issue(grant());
  const std::string second = codes.issue(grant());
  for (std::size_t i = 1; i < CodeStore::kCodesMax; ++i) static_cast<void>(codes.issue(grant()));
  EXPECT_FALSE(codes.take(first).has_value());
  EXPECT_TRUE(codes.take(second).has_value());
  EXPECT_FALSE(codes.take(second).has_value());
}

TEST_F(Stores, KeepABoundedNumberOfPendingSignIns) {
  PendingSignIns pending(env_);
  const auto first = pending.keep(request());
  const auto second = pending.keep(request());
  for (std::size_t i = 1; i < PendingSignIns::kPendingMax; ++i) static_cast<void>(pending.keep(request()));
  EXPECT_FALSE(pending.take(first.id, first.form_token).has_value());
  EXPECT_FALSE(pending.take(second.id, first.form_token).has_value());
  EXPECT_TRUE(pending.take(second.id, second.form_token).has_value());
}

HttpRequest with_cookies(std::initializer_list<std::string> cookies) {
  HttpRequest request;
  for (const std::string& cookie : cookies) request.headers.add("Cookie", cookie);
  return request;
}

TEST_F(Stores, FindASessionByItsOneCookie) {
  SignInSessions sessions(env_);
  const std::string set_cookie = sessions.start({"rowan", clock_.now()});
  const std::string cookie = set_cookie.substr(0, set_cookie.find(';'));
  ASSERT_TRUE(sessions.find(with_cookies({"a=b; " + cookie + "; c=d"})).has_value());
  EXPECT_EQ(sessions.find(with_cookies({cookie}))->subject, "rowan");
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
