// What a run keeps of a call that waits: for its owner only, for the same call only, and no longer than it waits.
#include "host/waiting_rounds.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/file.h"

namespace postern::host {
namespace {

Json pole_for(std::int64_t cents) {
  return Json::object({{"line_id", "LN-1"}, {"amount_cents", cents}});
}

TEST(WaitingRounds, AreThereForALaterRunAndItsOwnerOnly) {
  const test::TemporaryFolder folder;
  {
    WaitingRounds rounds(folder.path());
    EXPECT_FALSE(file_exists(folder.path() + "/waiting.json"));
    rounds.keep("issue_refund", pole_for(4800), {"rs_old", {"approval"}});
    rounds.keep("issue_refund", pole_for(4800), {"rs_new", {"approval"}});
    EXPECT_TRUE(test::succeeded(rounds.status()));
  }
  EXPECT_EQ(*file_mode(folder.path() + "/waiting.json") & 0777U, 0600U);
  const WaitingRounds later(folder.path());
  const auto kept = later.kept("issue_refund", pole_for(4800));
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(kept->request_state, "rs_new");
  EXPECT_EQ(kept->asked, std::vector<std::string>{"approval"});
  EXPECT_FALSE(later.kept("issue_refund", pole_for(4801)).has_value());
  EXPECT_FALSE(later.kept("get_order", pole_for(4800)).has_value());
}

TEST(WaitingRounds, TakeTheFileAwayWhenNothingWaits) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/waiting.json";
  WaitingRounds rounds(folder.path());
  rounds.keep("issue_refund", pole_for(4800), {"rs_a", {"approval"}});
  rounds.keep("issue_refund", pole_for(300), {"rs_b", {"approval"}});
  rounds.forget("issue_refund", pole_for(4800));
  EXPECT_TRUE(file_exists(path));
  EXPECT_FALSE(rounds.kept("issue_refund", pole_for(4800)).has_value());
  EXPECT_TRUE(rounds.kept("issue_refund", pole_for(300)).has_value());
  rounds.forget("issue_refund", pole_for(300));
  EXPECT_FALSE(file_exists(path));
  rounds.keep("issue_refund", pole_for(300), {"rs_c", {"approval"}});
  rounds.forget_all();
  EXPECT_FALSE(file_exists(path));
  EXPECT_TRUE(test::succeeded(rounds.status()));
}

TEST(WaitingRounds, TakeAFileThatIsNoneOfTheirsForNone) {
  for (const char* text :
       {"", "{", "{\"schema\":\"other/1\",\"rounds\":{}}", "{\"schema\":\"postern.waiting_rounds/1\",\"rounds\":[1]}",
        "{\"schema\":\"postern.waiting_rounds/1\",\"rounds\":{\"x\":7}}"}) {
    const test::TemporaryFolder folder;
    ASSERT_TRUE(test::succeeded(replace_file(folder.path() + "/waiting.json", text)));
    const WaitingRounds rounds(folder.path());
    EXPECT_FALSE(rounds.kept("issue_refund", pole_for(4800)).has_value()) << text;
  }
}

TEST(WaitingRounds, SayThatTheyCouldNotBeWritten) {
  const test::TemporaryFolder folder;
  WaitingRounds rounds(folder.path() + "/gone");
  rounds.keep("issue_refund", pole_for(4800), {"rs_a", {"approval"}});
  EXPECT_TRUE(test::refused(rounds.status(), "own.file_failed"));
}

}  // namespace
}  // namespace postern::host
