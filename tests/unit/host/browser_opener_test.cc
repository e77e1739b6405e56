#include "host/browser_opener.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/temporary_folder.h"

namespace postern::host {
namespace {

// An opener that writes its arguments into a pipe, one a line.
class BrowserOpener : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::mkfifo((folder_ / "said").c_str(), 0600), 0);
    std::ofstream(opener_) << "#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" >'" << folder_ / "said"
                           << "'\n";
    ASSERT_EQ(::chmod(opener_.c_str(), 0700), 0);
    pipe_ = ::open((folder_ / "said").c_str(), O_RDONLY | O_NONBLOCK);
    ASSERT_GE(pipe_, 0);
  }
  void TearDown() override { ::close(pipe_); }
  // Waits for the opener to have said everything; 20 s at most.
  [[nodiscard]] std::string said() const {
    std::string text;
    pollfd wait{pipe_, POLLIN, 0};
    while (::poll(&wait, 1, 20'000) > 0) {
      char buffer[4096];
      const ssize_t got = ::read(pipe_, buffer, sizeof buffer);
      if (got <= 0) break;
      text.append(buffer, static_cast<std::size_t>(got));
    }
    return text;
  }

  test::TemporaryFolder folder_;
  const std::string opener_ = folder_ / "opener";
  int pipe_ = -1;
};

TEST_F(BrowserOpener, HandsTheUrlOverAsOneArgumentWithoutAShell) {
  const std::string url = "https://issuer.example.test/authorize?a=b&c=;$(touch " + (folder_ / "never") + ")`id`'|x";
  ASSERT_TRUE(open_in_browser(url, opener_));
  EXPECT_EQ(said(), "1\n" + url + "\n");
  EXPECT_NE(::access((folder_ / "never").c_str(), F_OK), 0);
}

TEST_F(BrowserOpener, SaysThatThereIsNone) {
  EXPECT_FALSE(open_in_browser("https://issuer.example.test/", folder_ / "nobody"));
}

}  // namespace
}  // namespace postern::host
