// Proves that a handle finds its case for its caller only, for 15 minutes, and that nothing of it can be read from the
// database.
#include "services/desk/case_handles.h"

#include <gtest/gtest.h>

#include "services/desk/failures.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_env.h"
#include "wire/base/file.h"

namespace postern::desk {

namespace {

using services::TicketId;
using test::refused;
using test::succeeded;

class Handles : public testing::Test {
 protected:
  std::unique_ptr<CaseHandles> open_store(std::span<const HandleKeyPart> key = product_handle_key()) {
    auto opened = CaseHandles::open(env_.env(), folder_.path(), key);
    EXPECT_TRUE(succeeded(opened));
    return *std::move(opened);
  }
  // The handle of a case that is opened for rowan. Its text is told by a second source of the same randomness: the
  // store shows it to nobody but the tool that gives it to the caller.
  std::string open_for_rowan(CaseHandles& handles) {
    const auto opened = handles.open_case(rowan_, TicketId("T-1042"));
    EXPECT_TRUE(succeeded(opened));
    return random_token(twin_, "ch_", 16);
  }
  test::TemporaryFolder folder_;
  test::TestEnv env_;
  test::SeededRandom twin_;
  services::Principal rowan_ = services::StdioLaunch("rowan").principal();
  services::Principal quinn_ = services::StdioLaunch("quinn").principal();
  std::unique_ptr<CaseHandles> handles_ = open_store();
};

TEST_F(Handles, FindTheTicketForTheirCaller) {
  const std::string handle = open_for_rowan(*handles_);
  EXPECT_EQ(handle.size(), 3U + 22U);  // 128 bits
  EXPECT_EQ(handles_->open_case(rowan_, TicketId("T-1042"))->expires_in, Seconds(900));
  EXPECT_EQ(*handles_->find(rowan_, handle), TicketId("T-1042"));
}

TEST_F(Handles, RefuseAnotherCaller) {
  const std::string handle = open_for_rowan(*handles_);
  const auto found = handles_->find(quinn_, handle);
  ASSERT_TRUE(refused(found, "case.no_such_handle"));
  EXPECT_EQ(found.error().text(), "No open case with that handle for this caller.");
  EXPECT_TRUE(succeeded(handles_->find(rowan_, handle)));
}

TEST_F(Handles, RefuseWhatWasNeverGiven) {
  const std::string handle = open_for_rowan(*handles_);
  for (const std::string& other : {std::string("ch_rig_0000000001"), handle + "A", handle.substr(0, 24), std::string(),
                                   handle.substr(3), std::string(10'000, 'c')}) {
    EXPECT_TRUE(refused(handles_->find(rowan_, other), "case.no_such_handle")) << other.substr(0, 40);
  }
}

TEST_F(Handles, RefuseAfterFifteenMinutes) {
  const std::string handle = open_for_rowan(*handles_);
  env_.clock.advance(Seconds(899));
  EXPECT_TRUE(succeeded(handles_->find(rowan_, handle)));
  env_.clock.advance(Seconds(1));
  EXPECT_TRUE(refused(handles_->find(rowan_, handle), "case.no_such_handle"));
}

TEST_F(Handles, AreSharedByTheProcessesOfOneStore) {
  const std::string handle = open_for_rowan(*handles_);
  const auto other = open_store();
  EXPECT_EQ(*other->find(rowan_, handle), TicketId("T-1042"));
}

TEST_F(Handles, AreDifferentEachTime) {
  const std::string one = open_for_rowan(*handles_);
  const std::string two = open_for_rowan(*handles_);
  EXPECT_NE(one, two);
  EXPECT_TRUE(succeeded(handles_->find(rowan_, one)));
  EXPECT_TRUE(succeeded(handles_->find(rowan_, two)));
}

TEST_F(Handles, LeaveNothingReadableInTheDatabase) {
  const std::string handle = open_for_rowan(*handles_);
  handles_.reset();  // everything is written
  std::string bytes;
  for (const char* name : {"desk.sqlite", "desk.sqlite-wal"}) {
    if (const auto file = read_file(folder_ / name, 1 << 24)) bytes += *file;
  }
  ASSERT_NE(bytes.find("T-1042"), std::string::npos);
  EXPECT_EQ(bytes.find(handle), std::string::npos);
  EXPECT_EQ(bytes.find(handle.substr(3)), std::string::npos);
  EXPECT_EQ(bytes.find("rowan"), std::string::npos);
}

TEST_F(Handles, WithoutThePrincipalInTheKeyServeAnybody) {  // what the control is there for
  const auto unbound = open_store(product_handle_key().first(1));
  const std::string handle = open_for_rowan(*unbound);
  EXPECT_TRUE(succeeded(unbound->find(quinn_, handle)));
}

}  // namespace
}  // namespace postern::desk
