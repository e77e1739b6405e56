// What is evidence and what is none; and the records of a world, read from its files.
#include "tests/lab/grade/invariants/evidence.h"

#include <gtest/gtest.h>

#include "services/store/database.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/embedded.h"
#include "wire/base/file.h"

POSTERN_EMBEDDED(services_payments_migrations)
POSTERN_EMBEDDED(services_approvals_migrations)

namespace postern::lab {
namespace {

std::string whole_log() {
  return *read_file(std::string(POSTERN_SOURCE_DIR) + "/tests/invariants/approved_run.jsonl", 1 << 20);
}

std::string without_line(std::string text, int number) {
  std::size_t from = 0;
  for (int i = 1; i < number; ++i) from = text.find('\n', from) + 1;
  return text.erase(from, text.find('\n', from) + 1 - from);
}

TEST(EvidenceOfALog, IsAllOfItsEntries) {
  const auto evidence = evidence_of_log("run", whole_log());
  ASSERT_TRUE(evidence);
  EXPECT_EQ(evidence->entries.size(), 78U);
  EXPECT_EQ(evidence->legs, std::vector<std::uint64_t>{1});
}

TEST(EvidenceOfALog, RefusesOneLineTooFew) {
  for (const int number : {1, 2, 40, 77}) {
    EXPECT_TRUE(failed_with(evidence_of_log("run", without_line(whole_log(), number)), "lab.bad_evidence")) << number;
  }
}

TEST(EvidenceOfALog, RefusesALineThatIsCutOff) {
  std::string log = whole_log();
  log.resize(log.size() - 20);
  EXPECT_TRUE(failed_with(evidence_of_log("run", log), "lab.bad_evidence"));
  log = whole_log();
  log.pop_back();  // only its line feed
  EXPECT_TRUE(failed_with(evidence_of_log("run", log), "lab.bad_evidence"));
}

TEST(EvidenceOfALog, RefusesALineThatIsNoEntryOneThatComesTwiceAndNothing) {
  EXPECT_TRUE(failed_with(evidence_of_log("run", whole_log() + "no entry\n"), "lab.bad_evidence"));
  const std::string log = whole_log();
  EXPECT_TRUE(failed_with(evidence_of_log("run", log + log.substr(0, log.find('\n') + 1)), "lab.bad_evidence"));
  EXPECT_TRUE(failed_with(evidence_of_log("run", ""), "lab.bad_evidence"));
}

TEST(EvidenceOfARun, HasTheFilesBesideTheLogButNotTheKeepingPlaces) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(replace_file(folder / "run.json",
                           R"({"run":"http-1","ticket":"T-1042","label_nonce":"fb0f02f6fe783d6f","exit":0})"));
  ASSERT_TRUE(replace_file(folder / "wire.jsonl", whole_log()));
  ASSERT_TRUE(replace_file(folder / "desk.log", "a line"));
  ASSERT_TRUE(replace_file(folder / "keys.json", "secrets"));
  const auto evidence = read_evidence(folder.path());
  ASSERT_TRUE(evidence) << evidence.error().text();
  EXPECT_EQ(evidence->name, "http-1");
  EXPECT_EQ(evidence->exit, 0);
  EXPECT_EQ(evidence->texts.count("desk.log"), 1U);
  EXPECT_EQ(evidence->texts.count("keys.json"), 0U);
  EXPECT_FALSE(evidence->world);
  ASSERT_TRUE(replace_file(folder / "wire.jsonl", without_line(whole_log(), 5)));
  EXPECT_TRUE(failed_with(read_evidence(folder.path()), "lab.bad_evidence"));
}

// A run's folder with that log and that record.
Result<Evidence> run_of(const std::string& log, std::string_view state, std::string_view outcome, int exit) {
  const test::TemporaryFolder folder;
  const std::string record = R"({"run":"http-1","ticket":"T-1042","state":")" + std::string(state) +
                             R"(","outcome":")" + std::string(outcome) + R"(","exit":)" + std::to_string(exit) + "}";
  EXPECT_TRUE(replace_file(folder / "run.json", record));
  EXPECT_TRUE(replace_file(folder / "wire.jsonl", log));
  return read_evidence(folder.path());
}

std::string first_lines(const std::string& log, int count) {
  std::size_t end = 0;
  for (int i = 0; i < count; ++i) end = log.find('\n', end) + 1;
  return log.substr(0, end);
}

TEST(EvidenceOfARun, OfAFinishedOneGoesToItsEnd) {
  const std::string log = whole_log();
  EXPECT_TRUE(run_of(log, "finished", "refunded", 0));
  EXPECT_TRUE(failed_with(run_of(log.substr(0, log.size() - 1), "finished", "refunded", 0), "lab.bad_evidence"));
  for (const int lines : {10, 52, 53, 66, 68, 74, 75, 76}) {
    EXPECT_TRUE(failed_with(run_of(first_lines(log, lines), "finished", "refunded", 0), "lab.bad_evidence")) << lines;
    EXPECT_TRUE(run_of(first_lines(log, lines), "pending", "pending", 8)) << lines;
  }
}

TEST(EvidenceOfARun, HasAnOutcomeAndAnExitCodeThatGoTogether) {
  for (const int exit : {6, 8, 130})
    EXPECT_TRUE(failed_with(run_of(whole_log(), "finished", "refunded", exit), "lab.bad_evidence")) << exit;
  for (const int exit : {0, 1, 5}) EXPECT_TRUE(run_of(whole_log(), "finished", "refunded", exit)) << exit;
  EXPECT_TRUE(failed_with(run_of(whole_log(), "pending", "pending", 0), "lab.bad_evidence"));
}

Status fill(const std::string& path, std::span<const EmbeddedFile> migrations, std::string_view script) {
  services::DatabaseOptions options;
  options.path = path;
  options.migrations = migrations;
  POSTERN_TRY(const auto database, services::Database::open(std::move(options)));
  const auto written = database->write<bool>([script](services::Connection& connection) -> Result<bool> {
    POSTERN_TRY_VOID(connection.run_script(script));
    return true;
  });
  if (!written) return written.error();
  return {};
}

TEST(WorldRecords, AreRowsOfTheRunAndLinesOfTheLogs) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(make_folder(folder / "world/payments"));
  ASSERT_TRUE(
      fill(folder / "world/payments/payments.sqlite", embedded::services_payments_migrations(),
           "INSERT INTO refunds VALUES (1,'RF-1','k1','APV-1','APR-1','T-1','ORD-1','LN-1',100,'USD','POL','d',5),"
           "(2,'RF-2','k2','APV-2','APR-2','T-2','ORD-2','LN-1',200,'USD','POL','d',50);"
           "INSERT INTO policy_limits VALUES ('POL','USD',6000);"));
  ASSERT_TRUE(fill(folder / "world/approvals.sqlite", embedded::services_approvals_migrations(),
                   "INSERT INTO audit_events VALUES (1,'t','morgan','Morgan','page','decision.approved','APR-2',1,2,"
                   "'{}','0','1');"));
  ASSERT_TRUE(replace_file(folder / "world/payments/downstream.jsonl", "{\"credential_kind\":\"service\"}\n"));
  const auto records = read_world_records(folder.path());
  ASSERT_TRUE(records) << records.error().text();
  ASSERT_TRUE(*records);
  ASSERT_EQ((*records)->refunds.size(), 2U) << "which of them are a run's is not decided by their time";
  EXPECT_EQ((*records)->refunds[1].string_at("refund_id"), "RF-2");
  EXPECT_EQ((*records)->limits[0].integer_at("limit_minor"), 6000);
  EXPECT_EQ((*records)->audit[0].string_at("action"), "decision.approved");
  EXPECT_EQ((*records)->downstream.size(), 1U);
}

TEST(WorldRecords, AreNothingWhereThereIsNoWorld) {
  const test::TemporaryFolder folder;
  const auto records = read_world_records(folder.path());
  ASSERT_TRUE(records);
  EXPECT_FALSE(*records);
}

TEST(WorldRecords, OfOneServiceWithoutTheOtherAreNoEvidenceAndAWorldWithoutAnyNeither) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(replace_file(folder / "run.json", R"({"run":"http-1","ticket":"T-1042"})"));
  ASSERT_TRUE(replace_file(folder / "wire.jsonl", whole_log()));
  ASSERT_TRUE(make_folder(folder / "world"));
  EXPECT_TRUE(failed_with(read_evidence(folder.path()), "lab.bad_evidence"));
  ASSERT_TRUE(fill(folder / "world/payments.sqlite", embedded::services_payments_migrations(), ""));
  EXPECT_TRUE(failed_with(read_evidence(folder.path()), "lab.bad_evidence"));
  ASSERT_TRUE(fill(folder / "world/approvals.sqlite", embedded::services_approvals_migrations(), ""));
  const auto both = read_evidence(folder.path());
  EXPECT_TRUE(both && both->world);
}

TEST(WorldRecords, ABrokenDatabaseIsAFailure) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(replace_file(folder / "payments.sqlite", "no database at all, and long enough to be read as one"));
  EXPECT_FALSE(read_world_records(folder.path()));
}

}  // namespace
}  // namespace postern::lab
