// What is kept of sign-ins between runs: the file, its rights, and what happens to one that must not be believed.
#include "host/kept_credentials.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "host/credentials_file.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/file.h"
#include "wire/base/json.h"

namespace postern::host {
namespace {

using test::refused;
using test::succeeded;

const bridge::TokenKey kTickets{"https://login.example.test", "https://tickets.example.test/mcp"};

class KeptCredentialsTest : public testing::Test {
 protected:
  test::TemporaryFolder state_;
  const std::string folder_ = state_ / "postern";
  const std::string path_ = folder_ + "/credentials.json";

  // As another run of the program sees it.
  [[nodiscard]] std::unique_ptr<KeptCredentials> open() const { return open_credentials(state_.path(), "", ""); }
  [[nodiscard]] std::string text() const { return *read_file(path_, 1 << 20); }
  void write(const std::string& text, unsigned mode = 0600) const {
    ASSERT_TRUE(succeeded(make_folder(folder_)));
    ASSERT_TRUE(succeeded(replace_file(path_, text)));
    ASSERT_EQ(::chmod(path_.c_str(), static_cast<mode_t>(mode)), 0);
  }
  static bridge::StoredTokens tokens(const std::string& name = "at-1") {
    bridge::StoredTokens tokens;
    tokens.access_token = AccessToken::take(std::string(name));
    tokens.refresh_token = RefreshToken::take("rt-" + name);
    tokens.expires_at = wall_time_of_unix_seconds(1'800'000'000);
    tokens.granted = {"desk:read"};
    tokens.requested = {"desk:read", "refunds:write"};
    tokens.client_id = "postern";
    tokens.subject = "u-1";
    tokens.name = "Rowan Diaz";
    return tokens;
  }
};

TEST_F(KeptCredentialsTest, AnotherRunFindsWhatWasKept) {
  EXPECT_FALSE(*open()->tokens(kTickets));
  ASSERT_TRUE(succeeded(open()->keep(kTickets, tokens())));
  const auto found = open()->tokens(kTickets);
  ASSERT_TRUE(succeeded(found));
  ASSERT_TRUE(*found);
  EXPECT_TRUE((*found)->access_token.equal(AccessToken::take("at-1")));
  EXPECT_TRUE((*found)->refresh_token.equal(RefreshToken::take("rt-at-1")));
  EXPECT_EQ((*found)->expires_at, wall_time_of_unix_seconds(1'800'000'000));
  EXPECT_EQ((*found)->granted, ScopeSet{"desk:read"});
  EXPECT_EQ((*found)->requested, (ScopeSet{"desk:read", "refunds:write"}));
  EXPECT_EQ((*found)->token_type, "Bearer");
  EXPECT_EQ((*found)->client_id, "postern");
  EXPECT_EQ((*found)->subject, "u-1");
  EXPECT_EQ((*found)->name, "Rowan Diaz");
  ASSERT_TRUE(succeeded(open()->keep(kTickets, tokens("at-2"))));
  EXPECT_TRUE((**open()->tokens(kTickets)).access_token.equal(AccessToken::take("at-2")));
  EXPECT_EQ(open()->keys()->size(), 1U);
}

// H-176: a token is found under the issuer and resource that it was issued for, character by character.
TEST_F(KeptCredentialsTest, NothingIsFoundUnderAnotherKey) {
  ASSERT_TRUE(succeeded(open()->keep(kTickets, tokens())));
  for (const bridge::TokenKey& other :
       {bridge::TokenKey{"https://login.example.test/", kTickets.resource},
        bridge::TokenKey{kTickets.issuer, "https://tickets.example.test/mcp/"},
        bridge::TokenKey{kTickets.issuer, "https://tickets.example.test"},
        bridge::TokenKey{"https://evil.test", kTickets.resource}, bridge::TokenKey{"", ""}}) {
    EXPECT_FALSE(*open()->tokens(other)) << other.issuer << " " << other.resource;
  }
}

// MCP 2026-07-28 basic/authorization, "Refresh Tokens" and "Token Theft": at rest they are their person's alone.
TEST_F(KeptCredentialsTest, NobodyElseMayReadTheFile) {
  const mode_t before = ::umask(0);
  ASSERT_TRUE(succeeded(open()->keep(kTickets, tokens())));
  ::umask(before);
  EXPECT_EQ(*file_mode(path_), 0600U);
  EXPECT_EQ(*file_mode(folder_), 0700U);
  EXPECT_EQ(*file_mode(folder_ + "/credentials.lock"), 0600U);
  ASSERT_TRUE(succeeded(open()->keep(kTickets, tokens("at-2"))));
  EXPECT_EQ(*file_mode(path_), 0600U);
}

TEST_F(KeptCredentialsTest, AFileThatOthersMayReadIsRefused) {
  ASSERT_TRUE(succeeded(open()->keep(kTickets, tokens())));
  const std::string before = text();
  for (const unsigned mode : {0640U, 0604U, 0660U, 0610U}) {
    ASSERT_EQ(::chmod(path_.c_str(), static_cast<mode_t>(mode)), 0);
    const auto found = open()->tokens(kTickets);
    ASSERT_TRUE(refused(found, "own.credentials_refused")) << mode;
    EXPECT_NE(found.error().text().find("\n  chmod 600 " + path_), std::string::npos) << found.error().text();
    EXPECT_TRUE(refused(open()->keep(kTickets, tokens("at-2")), "own.credentials_refused"));
    EXPECT_TRUE(refused(open()->forget(kTickets), "own.credentials_refused"));
  }
  ASSERT_EQ(::chmod(path_.c_str(), 0400), 0);
  EXPECT_TRUE(*open()->tokens(kTickets));
  ASSERT_EQ(::chmod(folder_.c_str(), 0770), 0);
  const auto in_folder = open()->tokens(kTickets);
  ASSERT_TRUE(refused(in_folder, "own.credentials_refused"));
  EXPECT_NE(in_folder.error().text().find("chmod 700 " + folder_), std::string::npos);
  ASSERT_EQ(::chmod(folder_.c_str(), 0700), 0);
  EXPECT_EQ(text(), before);
}

TEST_F(KeptCredentialsTest, WhatIsNoPlainFileIsRefused) {
  ASSERT_TRUE(succeeded(make_folder(folder_)));
  const std::string elsewhere = state_ / "elsewhere.json";
  ASSERT_TRUE(succeeded(replace_file(elsewhere, "{}")));
  ASSERT_EQ(::symlink(elsewhere.c_str(), path_.c_str()), 0);
  EXPECT_TRUE(refused(open()->tokens(kTickets), "own.credentials_refused"));
  EXPECT_TRUE(refused(open()->keep(kTickets, tokens()), "own.credentials_refused"));
  EXPECT_EQ(*read_file(elsewhere, 100), "{}");
}

TEST_F(KeptCredentialsTest, AFileThatCannotBeReadIsLeftAsItIs) {
  for (
      const std::string damaged :
      {"", "{", "[]", "{}", R"({"schema":"postern.credentials/2","tokens":[],"clients":[]})",
       R"({"schema":"postern.credentials/1","tokens":{},"clients":[]})",
       R"({"schema":"postern.credentials/1","tokens":[{"issuer":"a"}],"clients":[]})",
       R"({"schema":"postern.credentials/1","tokens":[],"clients":[{}]})",
       R"({"schema":"postern.credentials/1","clients":[],"tokens":[{"issuer":"a","resource":"b"},{"issuer":"a","resource":"b"}]})"}) {
    write(damaged);
    const auto found = open()->tokens(kTickets);
    ASSERT_TRUE(refused(found, "own.credentials_malformed")) << damaged;
    EXPECT_NE(found.error().text().find(path_), std::string::npos);
    EXPECT_TRUE(refused(open()->keep(kTickets, tokens()), "own.credentials_malformed"));
    EXPECT_TRUE(refused(open()->forget(kTickets), "own.credentials_malformed"));
    EXPECT_TRUE(refused(open()->forget_all(), "own.credentials_malformed"));
    EXPECT_EQ(text(), damaged);
  }
  write(R"({"schema":"postern.credentials/1","tokens":[],"clients":[]})");
  EXPECT_TRUE(succeeded(open()->keep(kTickets, tokens())));
}

TEST_F(KeptCredentialsTest, AChangeTouchesItsOwnEntryOnly) {
  write(R"({"schema":"postern.credentials/1","later":7,"clients":[],"tokens":[
          {"issuer":"https://a.test","resource":"https://r.test","access_token":"t","of_a_later_version":[1,2]}]})");
  ASSERT_TRUE(succeeded(open()->keep(kTickets, tokens())));
  ASSERT_TRUE(succeeded(open()->forget(kTickets)));
  const Json json = *parse_json(text());
  EXPECT_EQ(json.integer_at("later"), 7);
  ASSERT_EQ(json.find("tokens")->size(), 1U);
  EXPECT_EQ(json.find("tokens")->elements()[0].find("of_a_later_version")->size(), 2U);
}

TEST_F(KeptCredentialsTest, NothingIsLeftOfTheLastSignIn) {
  ASSERT_TRUE(succeeded(open()->keep(kTickets, tokens())));
  ASSERT_TRUE(file_exists(path_));
  ASSERT_TRUE(succeeded(open()->forget(kTickets)));
  EXPECT_FALSE(file_exists(path_));
  EXPECT_TRUE(succeeded(open()->forget(kTickets)));
}

// bridge/oauth/credential_store.h: a token of this process's key, or without an end, is for this run.
TEST_F(KeptCredentialsTest, TokensOfOneRunStayInMemory) {
  bridge::StoredTokens bound = tokens("at-bound");
  bound.token_type = "DPoP";
  bridge::StoredTokens endless = tokens("at-endless");
  endless.expires_at.reset();
  for (const bridge::StoredTokens* of_this_run : {&bound, &endless}) {
    ASSERT_TRUE(succeeded(open()->keep(kTickets, tokens("at-older"))));
    const auto store = open();
    ASSERT_TRUE(succeeded(store->keep(kTickets, *of_this_run)));
    EXPECT_TRUE((**store->tokens(kTickets)).access_token.equal(of_this_run->access_token));
    EXPECT_EQ(store->keys()->size(), 1U);
    EXPECT_FALSE(*open()->tokens(kTickets));
    EXPECT_FALSE(file_exists(path_));
    ASSERT_TRUE(succeeded(store->keep(kTickets, tokens("at-newer"))));
    EXPECT_TRUE((**store->tokens(kTickets)).access_token.equal(AccessToken::take("at-newer")));
    ASSERT_TRUE(succeeded(store->forget_all()));
  }
}

TEST_F(KeptCredentialsTest, RegistrationsAreKeptByTheirIssuer) {
  bridge::ClientIdentity client;
  client.issuer = "https://login.example.test";
  client.client_id = "dyn-1";
  client.secret = bridge::ClientSecret::take("s3cret");
  client.authentication = bridge::ClientAuthentication::kSecretPost;
  client.redirect_uris = {"http://127.0.0.1/callback"};
  ASSERT_TRUE(succeeded(open()->keep_client(client)));
  const auto found = open()->client(client.issuer);
  ASSERT_TRUE(succeeded(found));
  ASSERT_TRUE(*found);
  EXPECT_EQ((*found)->client_id, "dyn-1");
  EXPECT_TRUE((*found)->secret.equal(client.secret));
  EXPECT_EQ((*found)->authentication, client.authentication);
  EXPECT_EQ((*found)->redirect_uris, client.redirect_uris);
  EXPECT_FALSE(*open()->client("https://login.example.test/"));
  ASSERT_TRUE(succeeded(open()->forget_client(client.issuer)));
  EXPECT_FALSE(*open()->client(client.issuer));
}

TEST_F(KeptCredentialsTest, TwoProgramsLoseNothingOfEachOther) {
  const auto keep_many = [this](int from) {
    for (int i = from; i < from + 20; ++i) {
      EXPECT_TRUE(
          succeeded(open()->keep({"https://login.example.test", "https://r" + std::to_string(i) + ".test"}, tokens())));
    }
  };
  std::thread other([&] { keep_many(100); });
  keep_many(0);
  other.join();
  EXPECT_EQ(open()->keys()->size(), 40U);
}

TEST_F(KeptCredentialsTest, ALockThatIsNotGivenBackIsSaid) {
  ASSERT_TRUE(succeeded(open()->keep(kTickets, tokens())));
  const int lock = ::open((folder_ + "/credentials.lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  KeptCredentials impatient(std::make_unique<CredentialsFile>(path_), folder_, std::chrono::milliseconds(0));
  EXPECT_TRUE(refused(impatient.keep(kTickets, tokens("at-2")), "own.credentials_busy"));
  EXPECT_TRUE(refused(impatient.tokens(kTickets), "own.credentials_busy"));
  ::close(lock);
  EXPECT_TRUE((**open()->tokens(kTickets)).access_token.equal(AccessToken::take("at-1")));
}

}  // namespace
}  // namespace postern::host
