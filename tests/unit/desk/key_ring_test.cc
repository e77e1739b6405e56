// Proves that a key ring is made once, privately, and shared; and that a broken or open one is refused.
#include "services/desk/key_ring.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "services/desk/failures.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_env.h"
#include "wire/base/bytes.h"
#include "wire/base/file.h"

namespace postern::desk {
namespace {

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
