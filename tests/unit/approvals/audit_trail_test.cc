// The audit trail: whole after use, refused changes, and one altered row found where it is.
#include "services/approvals/audit_trail.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/embedded.h"

POSTERN_EMBEDDED(services_approvals_migrations)

namespace postern::approvals::test {
namespace {

class AuditTrail : public testing::Test {
 protected:
  AuditTrail() {
    database_ = std::move(services::Database::open({.path = folder_ / "approvals.sqlite",
                                                    .migrations = embedded::services_approvals_migrations()})
                              .value());
    for (int i = 0; i < 5; ++i) append("decision.refused", Json::object({{"number", i}}));
  }
  void append(std::string_view action, Json detail) {
    const AuditEvent event{.actor_subject = "morgan",
                           .actor_name = "Morgan Ellis",
                           .channel = "page",
                           .action = action,
                           .object = "APR-0001",
                           .version_before = 1,
                           .version_after = 1,
                           .detail = std::move(detail)};
    EXPECT_TRUE(database_
                    ->write<void>([&](services::Connection& connection) -> Status {
                      return append_audit(connection, event, wall_time_of_unix_seconds(1'796'000'000));
                    })
                    .has_value());
  }
  Status run(std::string_view sql) {
    return database_->write<void>([&](services::Connection& connection) { return connection.run_script(sql); });
  }
  AuditVerdict verdict() {
    return database_->read<AuditVerdict>([](services::Connection& connection) { return verify_audit(connection); })
        .value();
  }
  postern::test::TemporaryFolder folder_;
  std::unique_ptr<services::Database> database_;
};

TEST_F(AuditTrail, IsWholeAndItsHeadMoves) {
  const AuditVerdict before = verdict();
  EXPECT_TRUE(before.whole());
  EXPECT_EQ(before.rows, 5);
  append("decision.approved", Json::object());
  EXPECT_NE(verdict().head, before.head);
  EXPECT_TRUE(verdict().whole());
}

TEST_F(AuditTrail, RefusesAnUpdateAndADeletion) {
  EXPECT_FALSE(run("UPDATE audit_events SET actor_name = 'Rowan Diaz' WHERE seq = 3").has_value());
  EXPECT_FALSE(run("DELETE FROM audit_events WHERE seq = 5").has_value());
  EXPECT_TRUE(verdict().whole());
  EXPECT_EQ(verdict().rows, 5);
}

TEST_F(AuditTrail, FindsTheRowThatWasAlteredBehindTheTriggers) {
  ASSERT_TRUE(
      run("DROP TRIGGER audit_is_not_changed; UPDATE audit_events SET actor_name = 'Morgan Elliz' WHERE seq = 3")
          .has_value());
  EXPECT_EQ(verdict().broken_at, 3);
}

TEST_F(AuditTrail, FindsARowThatIsMissing) {
  ASSERT_TRUE(run("DROP TRIGGER audit_is_not_deleted; DELETE FROM audit_events WHERE seq = 2").has_value());
  EXPECT_EQ(verdict().broken_at, 3);
}

TEST_F(AuditTrail, ANoteWithLineBreaksAndEscapesStaysOneRow) {
  append("decision.denied", Json::object({{"note", "first\nsecond\x1b[31m"}}));
  const auto rows = database_->read<std::vector<AuditRow>>(
      [](services::Connection& connection) { return audit_rows(connection, "APR-0001", 1); });
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(rows->front().detail, R"({"note":"first\nsecond\u001b[31m"})");
  EXPECT_TRUE(verdict().whole());
}

}  // namespace
}  // namespace postern::approvals::test
