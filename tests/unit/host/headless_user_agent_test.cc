// The sign-in without a browser: where the secret goes, and what is never fetched.
#include "host/headless_user_agent.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/test_env.h"

namespace postern::host {
namespace {

using test::refused;
using test::succeeded;

class IssuerDouble final : public HttpClient {
 public:
  HttpResponse answer = redirect_response("http://127.0.0.1/callback?code=ac_x&state=s");
  std::vector<std::string> asked;
  FormFields form;
  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime, std::stop_token) override {
    asked.push_back(request.method + " " + uri.text());
    form = *form_decode(request.body);
    return answer;
  }
  Result<HttpResponse> open(const Uri&, const HttpRequest&, const std::function<bool(const HttpResponse&)>&,
                            const std::function<bool(std::string_view)>&, SteadyTime, std::stop_token) override {
    return Cancelled{};
  }
};

struct AgentBench {
  test::TestEnv env;
  IssuerDouble issuer;
  HeadlessUserAgent agent{env.clock, issuer, *parse_uri("http://127.0.0.1:8932"), "rowan",
                          HeadlessSecret::take(std::string("hs_secret"))};
  Uri authorization = *parse_uri("http://127.0.0.1:8932/authorize?client_id=postern-host&scope=desk%3Aread&state=s");
};

TEST(HeadlessUserAgent, PostsTheRequestWithPersonAndSecretAndReadsTheRedirect) {
  AgentBench bench;
  const auto redirect = bench.agent.authorize(bench.authorization, {});
  ASSERT_TRUE(succeeded(redirect));
  EXPECT_EQ(*redirect, "http://127.0.0.1/callback?code=ac_x&state=s");
  // The redirect was read and not fetched; the secret went in the body and not in a URL.
  EXPECT_EQ(bench.issuer.asked, std::vector<std::string>{"POST http://127.0.0.1:8932/headless"});
  EXPECT_EQ(sole_field(bench.issuer.form, "secret")->value_or(""), "hs_secret");
  EXPECT_EQ(sole_field(bench.issuer.form, "person")->value_or(""), "rowan");
  EXPECT_EQ(sole_field(bench.issuer.form, "scope")->value_or(""), "desk:read");
}

TEST(HeadlessUserAgent, RefusesAnAuthorizationEndpointElsewhere) {
  AgentBench bench;
  const Uri elsewhere = *parse_uri("http://127.0.0.1:9999/authorize?client_id=postern-host");
  EXPECT_TRUE(refused(bench.agent.authorize(elsewhere, {}), "sign_in.headless_refused"));
  EXPECT_TRUE(bench.issuer.asked.empty());
}

TEST(HeadlessUserAgent, SaysWhatTheIssuerSaid) {
  AgentBench bench;
  bench.issuer.answer = json_response(403, R"({"error":"access_denied","error_description":"no such \u001bperson"})");
  const auto redirect = bench.agent.authorize(bench.authorization, {});
  ASSERT_TRUE(refused(redirect, "sign_in.headless_refused"));
  EXPECT_NE(redirect.error().text().find("access_denied: no such [U+001B]person"), std::string::npos);
}

}  // namespace
}  // namespace postern::host
