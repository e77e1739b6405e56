// A sign-in in the person's own browser, played with a real HTTP client: what ends the waiting, and what does not.
#include "host/loopback_user_agent.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>

#include "bridge/failures.h"
#include "tests/support/raw_connection.h"
#include "tests/support/refused.h"
#include "tests/support/test_env.h"
#include "wire/transport/http_client.h"

namespace postern::host {
namespace {

using test::refused;
using test::succeeded;

constexpr std::chrono::seconds kLong{20};

class BrowserSignIn : public testing::Test {
 protected:
  static TerminalOptions quiet(bool no_input = false) {
    TerminalOptions options;
    options.no_input = no_input;
    return options;
  }
  static Uri asking(const std::string& state) {
    return *parse_uri("http://127.0.0.1:1/authorize?response_type=code&client_id=postern-host&state=" + state);
  }
  // Begins to wait for the redirect of a sign-in with that state.
  void begin(const std::string& state, std::chrono::milliseconds wait_max = kLong) {
    agent_ = std::make_unique<LoopbackUserAgent>(env_.env(), terminal_, "never", wait_max);
    const auto redirect_uri = agent_->redirect_uri();
    ASSERT_TRUE(succeeded(redirect_uri));
    redirect_uri_ = *redirect_uri;
    answer_ =
        std::async(std::launch::async, [this, state] { return agent_->authorize(asking(state), stop_.get_token()); });
  }
  // The same by a name that somebody has pointed at this machine.
  int visit_as(const std::string& host, const std::string& query) {
    test::RawConnection connection(parse_uri(redirect_uri_)->port);
    EXPECT_TRUE(connection.send("GET /callback" + query + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n"));
    const auto reply = connection.reply();
    return reply ? reply->status : 0;
  }
  // The status of a GET of the redirect URI with that query. Waits until somebody listens.
  int visit(const std::string& query) {
    const Uri uri = *parse_uri(redirect_uri_ + query);
    HttpRequest request;
    request.method = "GET";
    request.target = uri.target();
    const SystemClock clock;
    const auto response = client_->send(uri, request, clock.steady_now() + kLong);
    EXPECT_TRUE(succeeded(response));
    if (!response) return 0;
    last_ = *response;
    return response->status;
  }
  [[nodiscard]] bool waits_still() const {
    return answer_.wait_for(std::chrono::milliseconds(300)) == std::future_status::timeout;
  }

  test::TestEnv env_;
  Terminal terminal_{quiet()};
  SystemClock real_clock_;
  SystemRandomSource random_;
  NoTap tap_;
  std::unique_ptr<HttpClient> client_ = make_http_client(Env{real_clock_, random_, tap_}, HttpClientOptions{});
  std::stop_source stop_;
  std::unique_ptr<LoopbackUserAgent> agent_;
  std::string redirect_uri_;
  std::future<Result<std::string>> answer_;
  HttpResponse last_;
};

TEST_F(BrowserSignIn, GivesTheRedirectOnAsItCame) {
  begin("s1");
  EXPECT_EQ(redirect_uri_.substr(0, 17), "http://127.0.0.1:");
  EXPECT_EQ(visit("?code=a%2Bb&state=s1&iss=http%3A%2F%2F127.0.0.1%3A1"), 200);
  const auto answer = answer_.get();
  ASSERT_TRUE(succeeded(answer));
  EXPECT_EQ(*answer, redirect_uri_ + "?code=a%2Bb&state=s1&iss=http%3A%2F%2F127.0.0.1%3A1");
}

TEST_F(BrowserSignIn, AnErrorIsAnAnswerToo) {
  begin("s1");
  EXPECT_EQ(visit("?error=access_denied&state=s1"), 200);
  EXPECT_EQ(*answer_.get(), redirect_uri_ + "?error=access_denied&state=s1");
}

TEST_F(BrowserSignIn, WhateverElseKnocksChangesNothing) {
  begin("s1");
  EXPECT_EQ(visit("?code=c&state=another"), 400);
  EXPECT_EQ(visit("?code=c"), 400);
  EXPECT_EQ(visit("?code=c&state=s1&state=s1"), 400);
  EXPECT_EQ(visit_as("attacker.example", "?code=c&state=s1"), 403);
  EXPECT_TRUE(waits_still());
  EXPECT_EQ(visit("?code=mine&state=s1"), 200);
  EXPECT_EQ(*answer_.get(), redirect_uri_ + "?code=mine&state=s1");
}

TEST_F(BrowserSignIn, ThePageRunsAndFetchesNothingAndRepeatsNothing) {
  begin("s1");
  ASSERT_EQ(visit("?code=c0de&state=s1&error_description=%3Cscript%3E"), 200);
  EXPECT_NE(last_.headers.find("Content-Security-Policy")->find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(*last_.headers.find("Cache-Control"), "no-store");
  EXPECT_EQ(last_.body.find("c0de"), std::string::npos);
  EXPECT_EQ(last_.body.find("script"), std::string::npos);
  EXPECT_TRUE(succeeded(answer_.get()));
}

TEST_F(BrowserSignIn, EndsWhenNobodyComes) {
  begin("s1", std::chrono::milliseconds(1));
  EXPECT_TRUE(refused(answer_.get(), "sign_in.nobody_came"));
}

TEST_F(BrowserSignIn, EndsWhenThePersonStopsIt) {
  begin("s1");
  stop_.request_stop();
  EXPECT_TRUE(refused(answer_.get(), "bridge.stopped"));
}

TEST_F(BrowserSignIn, AsksNobodyWithNoInput) {
  Terminal terminal(quiet(true));
  LoopbackUserAgent agent(env_.env(), terminal, "ask");
  ASSERT_TRUE(succeeded(agent.redirect_uri()));
  const auto answer = agent.authorize(asking("s1"), {});
  ASSERT_TRUE(refused(answer, "sign_in.no_way"));
  EXPECT_NE(answer.error().text().find("http://127.0.0.1:1"), std::string::npos);
}

}  // namespace
}  // namespace postern::host
