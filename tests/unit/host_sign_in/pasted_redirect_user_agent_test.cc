// A sign-in whose browser is on another machine: what is pasted, and what of it is believed.
#include "host/pasted_redirect_user_agent.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/refused.h"
#include "tests/support/test_env.h"

namespace postern::host {
namespace {

using test::refused;
using test::succeeded;

// A pseudo terminal in place of stdin and stderr, and who sits at it: each time that an address is asked for, the next
// line is pasted.
class PastingPerson {
 public:
  PastingPerson() : saved_in_(dup(STDIN_FILENO)), saved_err_(dup(STDERR_FILENO)) {
    EXPECT_EQ(openpty(&person_, &program_, nullptr, nullptr, nullptr), 0);
    dup2(program_, STDIN_FILENO);
    dup2(program_, STDERR_FILENO);
  }
  void begin(std::vector<std::string> lines) {
    thread_ = std::thread([this, lines = std::move(lines)] { sit(lines); });
  }
  PastingPerson(const PastingPerson&) = delete;
  PastingPerson& operator=(const PastingPerson&) = delete;
  ~PastingPerson() {
    EXPECT_EQ(write(STDERR_FILENO, kLeave, sizeof kLeave - 1), static_cast<ssize_t>(sizeof kLeave - 1));
    if (thread_.joinable()) thread_.join();
    dup2(saved_in_, STDIN_FILENO);
    dup2(saved_err_, STDERR_FILENO);
    for (const int descriptor : {saved_in_, saved_err_, person_, program_}) close(descriptor);
  }

 private:
  static constexpr char kLeave[] = "=leave=";

  void sit(const std::vector<std::string>& lines) const {
    std::string shown;
    for (std::size_t next = 0; shown.find(kLeave) == std::string::npos;) {
      std::array<char, 4096> piece{};
      const ssize_t got = read(person_, piece.data(), piece.size());
      if (got <= 0) return;
      shown.append(piece.data(), static_cast<std::size_t>(got));
      if (shown.find("page here: ") == std::string::npos || next == lines.size()) continue;
      shown.erase(0, shown.find("page here: ") + 11);
      const std::string line = lines[next++] + "\n";
      EXPECT_EQ(write(person_, line.data(), line.size()), static_cast<ssize_t>(line.size()));
    }
  }
  int person_ = -1;
  int program_ = -1;
  int saved_in_;
  int saved_err_;
  std::thread thread_;
};

class PastedRedirect : public testing::Test {
 protected:
  test::TestEnv env_;
  const Uri asking_ = *parse_uri("https://login.example.test/authorize?client_id=postern&state=st-1");

  // What the agent makes of the lines that are pasted, each with the redirect URI in the place of "@".
  Result<std::string> after(std::vector<std::string> lines) {
    PastingPerson person;
    Terminal terminal(TerminalOptions{});
    PastedRedirectUserAgent agent(env_.env(), terminal);
    uri_ = *agent.redirect_uri();
    for (std::string& line : lines) {
      if (const auto at = line.find('@'); at != std::string::npos) line.replace(at, 1, uri_);
    }
    person.begin(std::move(lines));
    return agent.authorize(asking_, stop_.get_token());
  }
  // The same, with "@" in the place of the redirect URI; or what it failed with.
  std::string taken(std::vector<std::string> lines) {
    const auto redirect = after(std::move(lines));
    if (!redirect) return std::string(redirect.error().id());
    if (redirect->substr(0, uri_.size()) != uri_) return *redirect;
    return "@" + redirect->substr(uri_.size());
  }
  std::string uri_;
  std::stop_source stop_;
};

TEST_F(PastedRedirect, IsGivenOnAsItCame) {
  EXPECT_EQ(taken({"@?code=c-1&state=st-1&iss=https%3A%2F%2Flogin.example.test"}),
            "@?code=c-1&state=st-1&iss=https%3A%2F%2Flogin.example.test");
}

TEST_F(PastedRedirect, MayHaveQuotesAFragmentOrItsQueryAlone) {
  EXPECT_EQ(taken({"'@?state=st-1&code=c'"}), "@?state=st-1&code=c");
  EXPECT_EQ(taken({"@?state=st-1&code=c#_=_"}), "@?state=st-1&code=c");
  EXPECT_EQ(taken({"?state=st-1&code=c"}), "@?state=st-1&code=c");
  EXPECT_EQ(taken({"@?state=st-1&error=access_denied"}), "@?state=st-1&error=access_denied");
}

TEST_F(PastedRedirect, IsAskedForAgainWhenItIsNoAnswer) {
  EXPECT_EQ(taken({"c-1", "@?state=other&code=c", "@?state=st-1&code=c"}), "@?state=st-1&code=c");
  for (const char* bad : {"c-1", "https://evil.test/callback?state=st-1&code=c", "@x?state=st-1&code=c", "@?code=c",
                          "@?state=st-1&state=st-1&code=c", "@", "http://127.0.0.1:1/callback?state=st-1&code=c"}) {
    EXPECT_EQ(taken({bad, bad, bad}), "sign_in.no_way") << bad;
  }
}

TEST_F(PastedRedirect, NamesAnotherPortOfThisMachineEachTime) {
  std::set<std::string> uris;
  Terminal terminal(TerminalOptions{});
  PastedRedirectUserAgent agent(env_.env(), terminal);
  for (int i = 0; i < 50; ++i) {
    const Uri uri = *parse_uri(*agent.redirect_uri());
    EXPECT_EQ(uri.host, "127.0.0.1");
    EXPECT_EQ(uri.path, "/callback");
    EXPECT_GE(uri.port, 49152);
    uris.insert(uri.text());
  }
  EXPECT_GT(uris.size(), 40U);
}

TEST_F(PastedRedirect, NobodyIsAskedWithoutATerminal) {
  TerminalOptions options;
  options.no_input = true;
  const PastingPerson person;
  Terminal terminal(options);
  PastedRedirectUserAgent agent(env_.env(), terminal);
  ASSERT_TRUE(succeeded(agent.redirect_uri()));
  EXPECT_TRUE(refused(agent.authorize(asking_, {}), "sign_in.no_way"));
}

}  // namespace
}  // namespace postern::host
