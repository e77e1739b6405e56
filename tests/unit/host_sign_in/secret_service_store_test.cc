// The keyring of the session, played by a program that takes and gives what secret-tool does: one item for each set of
// attributes, 8192 bytes of a secret at most, an exit status of 1 without a word for what is not there.
#include "host/secret_service_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/file.h"

namespace postern::host {
namespace {

using test::refused;
using test::succeeded;

class SecretServiceTest : public testing::Test {
 protected:
  test::TemporaryFolder world_;
  const std::string bin_ = world_ / "bin";
  const std::string items_ = world_ / "items";

  SecretServiceTest() {
    std::filesystem::create_directories(items_);
    play(R"sh(
      verb=$1; shift
      [ "${1#--label=}" = "$1" ] || shift
      [ -n "$DBUS_SESSION_BUS_ADDRESS" ] || { echo "secret-tool: Cannot autolaunch D-Bus" >&2; exit 1; }
      [ -e "$ITEMS/locked" ] && { echo "secret-tool: Cannot create an item in a locked collection" >&2; exit 1; }
      item="$ITEMS/$(echo "$*" | tr ' /' '__')"
      echo "$verb $*" >> "$ITEMS/log"
      case $verb in
        lookup) [ -e "$item" ] || exit 1; cat "$item" ;;
        store) head -c 8192 > "$item" ;;
        clear) rm -f "$item" ;;
      esac)sh");
  }
  void play(const std::string& script) {
    std::filesystem::create_directories(bin_);
    ASSERT_TRUE(succeeded(replace_file(bin_ + "/secret-tool",
                                       "#!/bin/sh\nITEMS='" + items_ + "'\nPATH=/usr/bin:/bin\n" + script + "\n")));
    ASSERT_EQ(::chmod((bin_ + "/secret-tool").c_str(), 0700), 0);
  }
  [[nodiscard]] std::unique_ptr<SecretService> find() const { return SecretService::find(bin_, "unix:path=/bus"); }
  [[nodiscard]] std::size_t items() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(items_)) count += entry.path().filename() != "log";
    return count;
  }
};

TEST_F(SecretServiceTest, GivesBackWhatWasKept) {
  ASSERT_NE(find(), nullptr);
  EXPECT_FALSE(*find()->read());
  ASSERT_TRUE(succeeded(find()->write("{\"a\":\"\xC3\xA9\"}\n")));
  EXPECT_EQ(**find()->read(), "{\"a\":\"\xC3\xA9\"}\n");
  ASSERT_TRUE(succeeded(find()->write("second")));
  EXPECT_EQ(**find()->read(), "second");
  EXPECT_EQ(items(), 2U);
  ASSERT_TRUE(succeeded(find()->remove()));
  EXPECT_FALSE(*find()->read());
  EXPECT_EQ(items(), 0U);
}

TEST_F(SecretServiceTest, KeepsMoreThanOneItemHolds) {
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += std::to_string(i) + ",";
  ASSERT_TRUE(succeeded(find()->write(text)));
  EXPECT_EQ(**find()->read(), text);
  ASSERT_TRUE(succeeded(find()->write("short")));
  EXPECT_EQ(items(), 2U);
}

TEST_F(SecretServiceTest, NoSecretIsAnArgument) {
  ASSERT_TRUE(succeeded(find()->write("at-s3cret")));
  const std::string log = *read_file(items_ + "/log", 1 << 20);
  EXPECT_NE(log.find("store application postern kind credentials part head"), std::string::npos) << log;
  EXPECT_EQ(log.find("s3cret"), std::string::npos);
  EXPECT_EQ(log.find("YXQtczNjcmV0"), std::string::npos);
}

TEST_F(SecretServiceTest, IsNotUsedWithoutAKeyringThatAnswers) {
  EXPECT_EQ(SecretService::find(world_.path(), "unix:path=/bus"), nullptr);
  EXPECT_EQ(SecretService::find("", "unix:path=/bus"), nullptr);
  EXPECT_EQ(SecretService::find("bin:.", "unix:path=/bus"), nullptr);
  EXPECT_EQ(SecretService::find(bin_, ""), nullptr);  // it complains
  EXPECT_NE(SecretService::find("/nowhere:" + bin_, "unix:path=/bus"), nullptr);
}

TEST_F(SecretServiceTest, SaysWhenItCannotBeHad) {
  const auto service = find();
  ASSERT_TRUE(succeeded(service->write("kept")));
  ASSERT_TRUE(succeeded(replace_file(items_ + "/locked", "")));
  const auto locked = service->read();
  ASSERT_TRUE(refused(locked, "own.credentials_refused"));
  EXPECT_NE(locked.error().text().find("locked collection"), std::string::npos);
  EXPECT_TRUE(refused(service->write("another"), "own.credentials_refused"));
  EXPECT_TRUE(refused(service->remove(), "own.credentials_refused"));
  std::filesystem::remove(items_ + "/locked");
  EXPECT_EQ(**service->read(), "kept");
}

TEST_F(SecretServiceTest, DamageIsSeenAndLeftAsItIs) {
  const auto service = find();
  ASSERT_TRUE(succeeded(service->write("kept")));
  for (const auto& entry : std::filesystem::directory_iterator(items_)) {
    const std::string path = entry.path();
    if (path.find("part_head") != std::string::npos || entry.path().filename() == "log") continue;
    ASSERT_TRUE(succeeded(replace_file(path, "b3RoZXI=")));
    EXPECT_TRUE(refused(service->read(), "own.credentials_refused"));
    std::filesystem::remove(path);
    EXPECT_TRUE(refused(service->read(), "own.credentials_refused"));
    break;
  }
}

TEST_F(SecretServiceTest, ComesBeforeAFileThatIsNotThereYet) {
  const std::string state = world_ / "state";
  const bridge::TokenKey key{"https://login.example.test", "https://tickets.example.test/mcp"};
  bridge::StoredTokens tokens;
  tokens.access_token = AccessToken::take("at-1");
  tokens.expires_at = wall_time_of_unix_seconds(1'800'000'000);
  ASSERT_TRUE(succeeded(open_credentials(state, bin_, "unix:path=/bus")->keep(key, tokens)));
  EXPECT_FALSE(file_exists(state + "/postern/credentials.json"));
  EXPECT_TRUE(*open_credentials(state, bin_, "unix:path=/bus")->tokens(key));
  EXPECT_NE(open_credentials(state, bin_, "unix:path=/bus")->place().find("keyring"), std::string::npos);
  // Without the session's bus the file is the place; once it is there it stays it.
  EXPECT_FALSE(*open_credentials(state, bin_, "")->tokens(key));
  ASSERT_TRUE(succeeded(open_credentials(state, bin_, "")->keep(key, tokens)));
  EXPECT_NE(open_credentials(state, bin_, "unix:path=/bus")->place().find("credentials.json"), std::string::npos);
}

}  // namespace
}  // namespace postern::host
