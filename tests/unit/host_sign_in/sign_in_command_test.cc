// login, whoami and logout, with a server and an issuer on real sockets, and a program that signs in as itself.
#include "host/sign_in_command.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <memory>

#include "host/kept_credentials.h"
#include "tests/support/served.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/file.h"
#include "wire/base/json.h"

namespace postern::host {
namespace {

HttpResponse played(Json json, int status = 200) {
  return json_response(status, json.dump());
}

class SignInCommands : public testing::Test {
 protected:
  test::TemporaryFolder world_;
  std::unique_ptr<test::Served> issuer_;
  std::unique_ptr<test::Served> server_;
  std::vector<FormFields> revoked_;  // what came to the revocation endpoint
  bool revokes_access_tokens_ = true;
  int revocation_status_ = 200;
  bool can_revoke_ = true;
  bool wants_token_ = true;
  int tokens_ = 0;
  Config config_;
  Environment environment_;
  Interrupt interrupt_;
  std::string out_;
  std::string err_;

  SignInCommands() {
    begin_issuer();
    begin_server();
    config_.state_home = world_ / "state";
    const std::string secret = world_ / "secret";
    EXPECT_TRUE(replace_file(secret, "s3cret\n"));
    ServerConfig tickets;
    tickets.name = "tickets";
    tickets.url = endpoint();
    tickets.oauth.client_id = "postern";
    tickets.oauth.client_secret_file = secret;
    tickets.oauth.flow = OAuthConfig::Flow::kClientCredentials;
    config_.servers.push_back(tickets);
  }
  [[nodiscard]] std::string issuer() const { return "http://127.0.0.1:" + std::to_string(issuer_->port()); }
  [[nodiscard]] std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(server_->port()) + "/mcp"; }
  [[nodiscard]] std::string kept() const { return config_.state_home + "/postern/credentials.json"; }

  void begin_issuer() {
    Routes routes;
    routes.add("GET", "/.well-known/oauth-authorization-server", [this](const HttpRequest&) {
      Json json = Json::object({{"issuer", issuer()},
                                {"authorization_endpoint", issuer() + "/authorize"},
                                {"token_endpoint", issuer() + "/token"},
                                {"code_challenge_methods_supported", Json::array({"S256"})}});
      if (can_revoke_) json.set("revocation_endpoint", issuer() + "/revoke");
      return played(std::move(json));
    });
    routes.add("POST", "/token", [this](const HttpRequest&) {
      const std::string number = std::to_string(++tokens_);
      return played(Json::object({{"access_token", "at-" + number},
                                  {"refresh_token", "rt-" + number},
                                  {"token_type", "Bearer"},
                                  {"expires_in", 3600},
                                  {"scope", "tickets:read"},
                                  {"name", "Rowan\x1b[31m Diaz"}}));
    });
    routes.add("POST", "/revoke", [this](const HttpRequest& request) {
      revoked_.push_back(*form_decode(request.body));
      if (!revokes_access_tokens_ && request.body.find("access_token") != std::string::npos)
        return played(Json::object({{"error", "unsupported_token_type"}}), 400);
      return played(Json::object({{"error", "server_error"}}), revocation_status_);
    });
    issuer_ = std::make_unique<test::Served>(std::move(routes));
  }
  void begin_server() {
    Routes routes;
    routes.add("GET", "/.well-known/oauth-protected-resource/mcp", [this](const HttpRequest&) {
      return played(Json::object({{"resource", endpoint()}, {"authorization_servers", Json::array({issuer()})}}));
    });
    routes.add("POST", "/mcp", [this](const HttpRequest& request) {
      if (wants_token_ && !request.headers.has("Authorization")) {
        HttpResponse refusal = played(Json::object(), 401);
        refusal.headers.add("WWW-Authenticate", "Bearer scope=\"tickets:read\"");
        return refusal;
      }
      const Json body = *parse_json(request.body);
      Json result = Json::object({{"resultType", "complete"}, {"ttlMs", 0}, {"cacheScope", "private"}});
      if (body.string_at("method") == "tools/list") {
        result.set("tools", Json::array());
      } else {
        result.set("supportedVersions", Json::array({"2026-07-28"}))
            .set("capabilities", Json::object({{"tools", Json::object()}}));
      }
      return played(Json::object({{"jsonrpc", "2.0"}, {"id", *body.find("id")}, {"result", std::move(result)}}));
    });
    server_ = std::make_unique<test::Served>(std::move(routes));
  }

  template <class Act>
  ExitCode watched(const Act& act, bool json = false) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    TerminalOptions options;
    options.json = json;
    options.no_input = true;
    Terminal terminal(options);
    const ExitCode code = act(CommandContext{config_, environment_, terminal, interrupt_, system_outside()});
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return code;
  }
  ExitCode login(const std::string& server = "tickets") {
    return watched([&](const CommandContext& context) { return login_command(context, {server, false, false}); });
  }
  ExitCode logout(const std::string& server = "tickets", bool all = false) {
    return watched([&](const CommandContext& context) { return logout_command(context, {server, all}); });
  }
  ExitCode whoami(bool json = false) {
    return watched([&](const CommandContext& context) { return whoami_command(context); }, json);
  }
  [[nodiscard]] bool said(const std::string& words) const { return out_.find(words) != std::string::npos; }
};

TEST_F(SignInCommands, SignInIsKeptShownAndGivenBack) {
  EXPECT_EQ(whoami(), ExitCode::kNo);
  EXPECT_TRUE(said("tickets  " + endpoint())) << out_;
  EXPECT_TRUE(said("not signed in"));

  ASSERT_EQ(login(), ExitCode::kDone) << err_;
  EXPECT_TRUE(said("tickets: signed in")) << out_;
  EXPECT_TRUE(said("signed in at " + issuer()));
  EXPECT_TRUE(said("may: tickets:read"));
  EXPECT_TRUE(said("renewed by itself"));
  EXPECT_TRUE(said("kept in the file " + kept()));
  EXPECT_EQ(out_.find('\x1b'), std::string::npos);
  EXPECT_EQ(*file_mode(kept()), 0600U);

  EXPECT_EQ(whoami(), ExitCode::kDone);
  EXPECT_TRUE(said("signed in at " + issuer())) << out_;
  for (const char* secret : {"at-1", "rt-1", "s3cret"}) EXPECT_EQ((out_ + err_).find(secret), std::string::npos);

  // RFC 7009 section 2: the refresh token first, since new access tokens could be had with it.
  ASSERT_EQ(logout(), ExitCode::kDone) << err_;
  EXPECT_TRUE(said("is signed out of tickets"));
  EXPECT_TRUE(said("the tokens are revoked and forgotten")) << out_;
  ASSERT_EQ(revoked_.size(), 2U);
  EXPECT_EQ(sole_field(revoked_[0], "token")->value_or(""), "rt-1");
  EXPECT_EQ(sole_field(revoked_[1], "token")->value_or(""), "at-1");
  EXPECT_FALSE(file_exists(kept()));
  EXPECT_EQ(whoami(), ExitCode::kNo);
  EXPECT_EQ(logout(), ExitCode::kDone);
  EXPECT_TRUE(said("Nobody was signed in at tickets."));
}

TEST_F(SignInCommands, ASignInThatIsGoodIsUsedAgain) {
  ASSERT_EQ(login(), ExitCode::kDone);
  ASSERT_EQ(login(), ExitCode::kDone);
  EXPECT_TRUE(said("the sign-in that is kept is good")) << out_;
  EXPECT_EQ(tokens_, 1);
}

TEST_F(SignInCommands, WhatCouldNotBeRevokedIsSaidAndForgotten) {
  ASSERT_EQ(login(), ExitCode::kDone);
  revocation_status_ = 503;
  EXPECT_EQ(logout(), ExitCode::kNo);
  EXPECT_TRUE(said("the tokens are forgotten here")) << out_;
  EXPECT_NE(err_.find("status 503"), std::string::npos) << err_;
  EXPECT_FALSE(file_exists(kept()));

  ASSERT_EQ(login(), ExitCode::kDone);
  issuer_.reset();
  EXPECT_EQ(logout(), ExitCode::kNo);
  EXPECT_NE(err_.find("not revoked"), std::string::npos) << err_;
  EXPECT_FALSE(file_exists(kept()));
}

TEST_F(SignInCommands, AnIssuerThatDoesNotRevokeIsNamed) {
  can_revoke_ = false;
  ASSERT_EQ(login(), ExitCode::kDone);
  EXPECT_EQ(logout(), ExitCode::kDone);
  EXPECT_NE(err_.find("does not revoke tokens"), std::string::npos) << err_;
  EXPECT_TRUE(revoked_.empty());
  EXPECT_FALSE(file_exists(kept()));
}

// Tokens that a resource reads by itself cannot be taken back (RFC 7009 section 2.2.1): what is left of them is said.
TEST_F(SignInCommands, AnIssuerThatRevokesRefreshTokensOnlyIsNamed) {
  revokes_access_tokens_ = false;
  ASSERT_EQ(login(), ExitCode::kDone);
  EXPECT_EQ(logout(), ExitCode::kDone);
  EXPECT_EQ(revoked_.size(), 2U);
  EXPECT_NE(err_.find("does not revoke access tokens. The access token is good until "), std::string::npos) << err_;
  EXPECT_FALSE(file_exists(kept()));
}

TEST_F(SignInCommands, LogoutOfEverythingTakesServersThatAreNotConfiguredAnyMore) {
  ASSERT_EQ(login(), ExitCode::kDone);
  ServerConfig tickets = config_.servers[0];
  config_.servers.clear();
  EXPECT_EQ(whoami(), ExitCode::kDone);
  EXPECT_TRUE(said("not configured any more")) << out_;
  ASSERT_EQ(logout("", true), ExitCode::kDone) << err_;
  EXPECT_EQ(revoked_.size(), 2U);
  EXPECT_FALSE(file_exists(kept()));
}

TEST_F(SignInCommands, LogoutOfOneServerLeavesTheOthers) {
  ASSERT_EQ(login(), ExitCode::kDone);
  bridge::StoredTokens other;
  other.access_token = AccessToken::take("at-other");
  other.expires_at = wall_time_of_unix_seconds(4'000'000'000);
  const bridge::TokenKey key{"https://login.example.test", "https://other.example.test/mcp"};
  ASSERT_TRUE(open_credentials(config_.state_home, "", "")->keep(key, other));
  ASSERT_EQ(logout(), ExitCode::kDone);
  EXPECT_EQ(revoked_.size(), 2U);
  EXPECT_TRUE(*open_credentials(config_.state_home, "", "")->tokens(key));
}

TEST_F(SignInCommands, WhoamiIsOneDocument) {
  ASSERT_EQ(login(), ExitCode::kDone);
  ASSERT_EQ(whoami(true), ExitCode::kDone);
  const auto json = parse_json(out_);
  ASSERT_TRUE(json) << out_;
  EXPECT_EQ(json->string_at("schema"), "postern.whoami/1");
  EXPECT_EQ(json->string_at("kept_in"), "the file " + kept());
  const Json& server = json->find("servers")->elements()[0];
  EXPECT_EQ(server.string_at("name"), "tickets");
  const Json& sign_in = server.find("sign_ins")->elements()[0];
  EXPECT_EQ(sign_in.string_at("issuer"), issuer());
  EXPECT_EQ(sign_in.string_at("resource"), endpoint());
  EXPECT_EQ(*sign_in.find("scopes"), Json::array({"tickets:read"}));
  EXPECT_EQ(sign_in.boolean_at("renewable"), true);
  EXPECT_EQ(out_.find("at-1"), std::string::npos);
}

TEST_F(SignInCommands, AServerThatWantsNobodyIsSaidToBeOne) {
  wants_token_ = false;
  EXPECT_EQ(login(), ExitCode::kDone) << err_;
  EXPECT_TRUE(said("The server tickets asks for no sign-in.")) << out_;
}

TEST_F(SignInCommands, WhereNobodyCanBeAskedTheWayIsNamed) {
  config_.servers[0].oauth.flow = OAuthConfig::Flow::kBrowser;
  EXPECT_EQ(login(), ExitCode::kSignIn);
  EXPECT_NE(err_.find("takes a person, and nobody can be asked here"), std::string::npos) << err_;
  EXPECT_FALSE(file_exists(kept()));
}

TEST_F(SignInCommands, AFileThatOthersMayReadStopsEachOfThem) {
  ASSERT_EQ(login(), ExitCode::kDone);
  ASSERT_EQ(::chmod(kept().c_str(), 0644), 0);
  EXPECT_EQ(whoami(), ExitCode::kUsage);
  EXPECT_NE(err_.find("chmod 600 " + kept()), std::string::npos) << err_;
  EXPECT_EQ(logout(), ExitCode::kUsage);
  EXPECT_EQ(login(), ExitCode::kUsage);
  EXPECT_TRUE(revoked_.empty());
}

TEST_F(SignInCommands, NamesAreTakenAsTheyAreConfigured) {
  EXPECT_EQ(login("ticket"), ExitCode::kUsage);
  EXPECT_NE(err_.find("Did you mean: tickets"), std::string::npos) << err_;
  EXPECT_EQ(login(""), ExitCode::kUsage);
  EXPECT_NE(err_.find("profile local"), std::string::npos) << err_;
  EXPECT_EQ(logout("tickets", true), ExitCode::kUsage);
}

}  // namespace
}  // namespace postern::host
