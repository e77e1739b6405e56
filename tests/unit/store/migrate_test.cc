#include "services/store/migrate.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"

namespace postern::services {
namespace {

using Migrations = std::vector<EmbeddedFile>;

const EmbeddedFile kFirst{"0001_a.sql", "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1);"};
const EmbeddedFile kSecond{"0002_b.sql", "CREATE TABLE b (x INTEGER) STRICT;"};
const EmbeddedFile kSecondChanged{"0002_b.sql", "CREATE TABLE b (y INTEGER) STRICT;"};
const EmbeddedFile kSecondBroken{"0002_b.sql", "CREATE TABLE b (x INTEGER) STRICT; CREATE NONSENSE;"};

Result<std::unique_ptr<Database>> open_migrated(const std::string& path, const Migrations& migrations) {
  return Database::open({path, Durability::kNormal, std::chrono::milliseconds(5000), migrations});
}

std::int64_t count_of(Database& database, std::string_view sql) {
  return *database.read<std::int64_t>([&](Connection& connection) -> Result<std::int64_t> {
    Statement row = connection.statement(sql);
    POSTERN_TRY_VOID(row.step());
    return row.integer(0);
  });
}

constexpr std::string_view kTablesNamedB = "SELECT count(*) FROM sqlite_schema WHERE name = 'b'";

TEST(Migration, IsAppliedOnce) {
  const test::TemporaryFolder folder;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(test::succeeded(open_migrated(folder / "m.sqlite", {kFirst})));
  const auto database = open_migrated(folder / "m.sqlite", {kFirst, kSecond});
  ASSERT_TRUE(test::succeeded(database));
  EXPECT_EQ(count_of(**database, "SELECT count(*) FROM a"), 1);
  EXPECT_EQ(count_of(**database, "SELECT count(*) FROM schema_migrations"), 2);
  EXPECT_EQ(count_of(**database, kTablesNamedB), 1);
}

TEST(Migration, LeavesNothingWhenItBreaksInTheMiddle) {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(test::refused(open_migrated(folder / "m.sqlite", {kFirst, kSecondBroken}), "store.failed"));
  const auto database = open_migrated(folder / "m.sqlite", {kFirst});
  ASSERT_TRUE(test::succeeded(database));
  EXPECT_EQ(count_of(**database, kTablesNamedB), 0);
}

TEST(Migration, RefusesAFileOfAChangedMigration) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(test::succeeded(open_migrated(folder / "m.sqlite", {kFirst, kSecond})));
  EXPECT_TRUE(test::refused(open_migrated(folder / "m.sqlite", {kFirst, kSecondChanged}), "store.schema_unknown"));
  EXPECT_TRUE(test::succeeded(open_migrated(folder / "m.sqlite", {kFirst, kSecond})));
}

TEST(Migration, RefusesAFileOfANewerVersion) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(test::succeeded(open_migrated(folder / "m.sqlite", {kFirst, kSecond})));
  EXPECT_TRUE(test::refused(open_migrated(folder / "m.sqlite", {kFirst}), "store.schema_unknown"));
}

TEST(Migration, IsAppliedOnceByManyThatStartTogether) {
  const test::TemporaryFolder folder;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_TRUE(test::succeeded(open_migrated(folder / "m.sqlite", {kFirst, kSecond}))); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count_of(**open_migrated(folder / "m.sqlite", {kFirst, kSecond}), "SELECT count(*) FROM a"), 1);
}

}  // namespace
}  // namespace postern::services
