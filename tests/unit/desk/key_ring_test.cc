// Proves that a key ring is made once, privately, and shared; and that a broken or open one is refused.
#include "services/mcp/key_ring.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "services/desk/failures.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_env.h"
#include "wire/base/bytes.h"
#include "wire/base/file.h"
#include "wire/base/random_source.h"

namespace postern::desk {
namespace {

using mcp::KeyRing;
using test::refused;
using test::succeeded;

class Rings : public testing::Test {
 protected:
  Result<KeyRing> open() { return KeyRing::open_or_create(env_.env(), path_); }
  void write(const std::string& text, mode_t mode = 0600) {
    ASSERT_TRUE(succeeded(replace_file(path_, text)));
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
  }
  static std::string ring_of(const std::string& id, char fill) {
    return R"({"id":")" + id + R"(","key":")" + base64url(std::string(32, fill)) + "\"}";
  }
  test::TemporaryFolder folder_;
  test::TestEnv env_;
  std::string path_ = folder_ / "key-ring.json";
};

TEST_F(Rings, AreMadeWhenThereIsNoneForTheirOwnerOnly) {
  const auto ring = open();
  ASSERT_TRUE(succeeded(ring));
  EXPECT_EQ(*file_mode(path_) & 0777U, 0600U);
  EXPECT_EQ(ring->sealing_id().size(), KeyRing::kIdCharacters);
  EXPECT_EQ(ring->derive(ring->sealing_id(), "p")->size(), 32U);
}

TEST_F(Rings, AreReadByTheSecondProcess) {
  const auto first = open();
  const auto second = open();
  ASSERT_TRUE(succeeded(second));
  EXPECT_EQ(first->sealing_id(), second->sealing_id());
  EXPECT_EQ(first->derive(first->sealing_id(), "p"), second->derive(first->sealing_id(), "p"));
}

// Two processes of one store may be started at once: one of them makes the ring, and all have it.
TEST_F(Rings, AreMadeOnceByProcessesThatStartTogether) {
  constexpr int kProcesses = 8;
  int gate[2];
  int told[2];
  ASSERT_EQ(::pipe(gate), 0);
  ASSERT_EQ(::pipe(told), 0);
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child != 0) continue;
    ::close(gate[1]);
    char nothing = 0;
    static_cast<void>(::read(gate[0], &nothing, 1));  // until the parent opens the gate for all
    SystemRandomSource random;                        // each would make another key
    const auto ring = KeyRing::open_or_create({env_.clock, random, env_.tap}, path_);
    const std::string id = ring ? ring->sealing_id() : std::string(KeyRing::kIdCharacters, '?');
    static_cast<void>(::write(told[1], id.data(), id.size()));
    ::_exit(0);
  }
  ::close(gate[0]);
  ::close(gate[1]);
  ::close(told[1]);
  std::string ids;
  char buffer[256];
  for (ssize_t got = 0; (got = ::read(told[0], buffer, sizeof buffer)) > 0;)
    ids.append(buffer, static_cast<std::size_t>(got));
  ::close(told[0]);
  for (int i = 0; i < kProcesses; ++i) ::wait(nullptr);
  ASSERT_EQ(ids.size(), kProcesses * KeyRing::kIdCharacters);
  const auto ring = open();
  ASSERT_TRUE(succeeded(ring));
  for (int i = 0; i < kProcesses; ++i)
    EXPECT_EQ(ids.substr(static_cast<std::size_t>(i) * KeyRing::kIdCharacters, KeyRing::kIdCharacters),
              ring->sealing_id());
}

TEST_F(Rings, DeriveAnotherKeyForEachPurpose) {
  const auto ring = open();
  EXPECT_NE(ring->derive(ring->sealing_id(), "one"), ring->derive(ring->sealing_id(), "two"));
  EXPECT_FALSE(ring->derive("kffffffX", "one").has_value());
}

TEST_F(Rings, SealWithTheFirstKeyAndOpenWithEach) {
  write(R"({"keys":[)" + ring_of("k1111111", 'a') + "," + ring_of("k2222222", 'b') + "]}");
  const auto ring = open();
  ASSERT_TRUE(succeeded(ring));
  EXPECT_EQ(ring->sealing_id(), "k1111111");
  EXPECT_TRUE(ring->derive("k2222222", "p").has_value());
}

TEST_F(Rings, RefuseAFileThatOthersMayRead) {
  const std::string valid = R"({"keys":[)" + ring_of("k1111111", 'a') + "]}";
  write(valid, 0640);
  EXPECT_TRUE(refused(open(), "own.bad_key_ring"));
  write(valid, 0600);
  EXPECT_TRUE(succeeded(open()));
}

TEST_F(Rings, AreCheckedWithoutBeingMade) {
  EXPECT_FALSE(KeyRing::check(path_).has_value());
  EXPECT_FALSE(file_exists(path_));
  ASSERT_TRUE(succeeded(open()));
  EXPECT_TRUE(succeeded(KeyRing::check(path_)));
}

TEST_F(Rings, RefuseWhatIsNoRing) {
  for (const std::string& text :
       {std::string("keys"), std::string("{}"), std::string(R"({"keys":[]})"),
        R"({"keys":[)" + ring_of("short", 'a') + "]}", std::string(R"({"keys":[{"id":"k1111111","key":"c2hvcnQ"}]})"),
        R"({"keys":[)" + ring_of("k1111111", 'a') + "," + ring_of("k1111111", 'b') + "]}"}) {
    write(text);
    EXPECT_TRUE(refused(open(), "own.bad_key_ring")) << text;
  }
}

}  // namespace
}  // namespace postern::desk
