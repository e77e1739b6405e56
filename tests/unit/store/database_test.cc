#include "services/store/database.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/file.h"

namespace postern::services {
namespace {

using test::refused;
using test::succeeded;

constexpr std::array<EmbeddedFile, 1> kThings{
    {{"0001_things.sql",
      "CREATE TABLE things (name TEXT PRIMARY KEY, count INTEGER, at INTEGER) STRICT;"
      "CREATE TABLE owners (thing TEXT REFERENCES things (name)) STRICT;"}}};

struct Refusal {
  static constexpr std::string_view kId = "test.refusal";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kConflict;
  [[nodiscard]] std::string text() const { return "no"; }
};

Status insert_thing(Connection& connection, const std::string& name, std::int64_t count) {
  return connection.statement("INSERT INTO things (name, count) VALUES (?1, ?2)").bind(name, count).run();
}

std::int64_t single_integer(Connection& connection, std::string_view sql) {
  Statement row = connection.statement(sql);
  const auto found = row.step();
  return found && *found ? row.integer(0) : -1;
}

std::int64_t things_in(Database& database) {
  return *database.read<std::int64_t>([](Connection& connection) -> Result<std::int64_t> {
    return single_integer(connection, "SELECT count(*) FROM things");
  });
}

class DatabaseFile : public testing::Test {
 protected:
  std::unique_ptr<Database> open(std::chrono::milliseconds busy = std::chrono::milliseconds(5000),
                                 Durability durability = Durability::kNormal) {
    auto database = Database::open({path_, durability, busy, kThings});
    EXPECT_TRUE(succeeded(database));
    return *std::move(database);
  }
  test::TemporaryFolder folder_;
  std::string path_ = folder_ / "deep/things.sqlite";
};

TEST_F(DatabaseFile, KeepsWhatWasWrittenForAnotherConnection) {
  const auto first = open();
  ASSERT_TRUE(succeeded(first->write<void>([](Connection& c) { return insert_thing(c, "tent", 1); })));
  EXPECT_EQ(things_in(*open()), 1);
}

TEST_F(DatabaseFile, KeepsNothingOfAWriteThatFails) {
  const auto database = open();
  const Status status = database->write<void>([](Connection& c) -> Status {
    POSTERN_TRY_VOID(insert_thing(c, "tent", 1));
    return Refusal{};
  });
  EXPECT_TRUE(refused(status, "test.refusal"));
  EXPECT_EQ(things_in(*database), 0);
  // The connection is good for the next write.
  EXPECT_TRUE(succeeded(database->write<void>([](Connection& c) { return insert_thing(c, "tent", 1); })));
}

TEST_F(DatabaseFile, IsForTheOwnerOnly) {
  const auto database = open();
  ASSERT_TRUE(succeeded(database->write<void>([](Connection& c) { return insert_thing(c, "tent", 1); })));
  EXPECT_EQ(*file_mode(path_), 0600U);
  EXPECT_EQ(*file_mode(path_ + "-wal"), 0600U);
  EXPECT_EQ(*file_mode(folder_ / "deep"), 0700U);
}

TEST_F(DatabaseFile, RunsInWalModeWithForeignKeys) {
  const auto database = open();
  const Status orphan = database->write<void>(
      [](Connection& c) { return c.statement("INSERT INTO owners (thing) VALUES (?1)").bind("nothing").run(); });
  EXPECT_TRUE(refused(orphan, "store.failed"));
  const auto mode = database->read<std::string>([](Connection& c) -> Result<std::string> {
    Statement row = c.statement("PRAGMA journal_mode");
    POSTERN_TRY_VOID(row.step());
    return row.text(0);
  });
  EXPECT_EQ(*mode, "wal");
}

TEST_F(DatabaseFile, SyncsEachCommitOnlyWhereItIsAskedTo) {
  const auto synchronous = [](Database& database) {
    return *database.read<std::int64_t>(
        [](Connection& c) -> Result<std::int64_t> { return single_integer(c, "PRAGMA synchronous"); });
  };
  EXPECT_EQ(synchronous(*open(std::chrono::milliseconds(10), Durability::kFull)), 2);
  EXPECT_EQ(synchronous(*open(std::chrono::milliseconds(10), Durability::kNormal)), 1);
  EXPECT_EQ(synchronous(*open(std::chrono::milliseconds(10), Durability::kThrowaway)), 0);
}

TEST_F(DatabaseFile, RefusesASecondRowWithTheSameKeyAndNamesTheColumn) {
  const auto database = open();
  ASSERT_TRUE(succeeded(database->write<void>([](Connection& c) { return insert_thing(c, "tent", 1); })));
  const Status second = database->write<void>([](Connection& c) { return insert_thing(c, "tent", 2); });
  ASSERT_TRUE(refused(second, "store.not_unique"));
  EXPECT_EQ(second.error().as<NotUnique>()->columns, "things.name");
}

TEST_F(DatabaseFile, RefusesToWaitForAnotherWriterForEver) {
  const auto patient = open();
  const auto hasty = open(std::chrono::milliseconds(1));
  const Status outer = patient->write<void>([&](Connection& c) -> Status {
    // From its beginning on, before it has written anything.
    EXPECT_TRUE(
        refused(hasty->write<void>([](Connection& other) { return insert_thing(other, "pad", 1); }), "store.busy"));
    POSTERN_TRY_VOID(insert_thing(c, "tent", 1));
    // Readers do not wait, and see nothing of what is not committed.
    EXPECT_EQ(things_in(*hasty), 0);
    return {};
  });
  EXPECT_TRUE(succeeded(outer));
  EXPECT_TRUE(succeeded(hasty->write<void>([](Connection& c) { return insert_thing(c, "pad", 1); })));
}

TEST_F(DatabaseFile, ShowsAReaderOneSnapshot) {
  const auto reader = open();
  const auto writer = open();
  const Status status = reader->read<void>([&](Connection& c) -> Status {
    EXPECT_EQ(single_integer(c, "SELECT count(*) FROM things"), 0);
    EXPECT_TRUE(succeeded(writer->write<void>([](Connection& other) { return insert_thing(other, "tent", 1); })));
    EXPECT_EQ(single_integer(c, "SELECT count(*) FROM things"), 0);
    return {};
  });
  EXPECT_TRUE(succeeded(status));
  EXPECT_EQ(things_in(*reader), 1);
}

TEST_F(DatabaseFile, LosesNoWriteOfManyThreadsOnTwoHandles) {
  const auto one = open();
  const auto two = open();
  ASSERT_TRUE(succeeded(one->write<void>([](Connection& c) { return insert_thing(c, "counter", 0); })));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 25; ++n) {
        const Status added = (i % 2 == 0 ? *one : *two).write<void>([](Connection& c) -> Status {
          const std::int64_t count = single_integer(c, "SELECT count FROM things WHERE name = 'counter'");
          return c.statement("UPDATE things SET count = ?1 WHERE name = 'counter'").bind(count + 1).run();
        });
        EXPECT_TRUE(succeeded(added));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto count = one->read<std::int64_t>([](Connection& c) -> Result<std::int64_t> {
    return single_integer(c, "SELECT count FROM things WHERE name = 'counter'");
  });
  EXPECT_EQ(*count, 100);
}

TEST_F(DatabaseFile, GivesValuesBackAsTheyWereBound) {
  const auto database = open();
  const std::string name("n\0ul \xE2\x80\xAE", 8);
  const WallTime at{Milliseconds(1'796'000'000'123)};
  ASSERT_TRUE(succeeded(database->write<void>([&](Connection& c) -> Status {
    POSTERN_TRY_VOID(c.statement("INSERT INTO things (name, count, at) VALUES (?1, ?2, ?3)")
                         .bind(name, std::int64_t{1} << 60, at)
                         .run());
    return c.statement("INSERT INTO things (name, count, at) VALUES (?1, ?2, ?3)")
        .bind("", nullptr, std::optional<WallTime>())
        .run();
  })));
  const Status read = database->read<void>([&](Connection& c) -> Status {
    Statement row = c.statement("SELECT name, count, at FROM things WHERE name = ?1");
    POSTERN_TRY(const bool found, row.bind(name).step());
    EXPECT_TRUE(found);
    EXPECT_EQ(row.text(0), name);
    EXPECT_EQ(row.integer(1), std::int64_t{1} << 60);
    EXPECT_EQ(row.time(2), at);
    // The same text again while the first is in use: a statement of its own.
    Statement empty = c.statement("SELECT name, count, at FROM things WHERE name = ?1");
    POSTERN_TRY(const bool second, empty.bind("").step());
    EXPECT_TRUE(second);
    EXPECT_TRUE(empty.is_null(1));
    EXPECT_FALSE(empty.optional_time(2).has_value());
    EXPECT_EQ(empty.optional_text(0), "");
    EXPECT_EQ(row.text(0), name);
    return {};
  });
  EXPECT_TRUE(succeeded(read));
}

TEST_F(DatabaseFile, RefusesAFolderThatIsAFile) {
  ASSERT_TRUE(succeeded(replace_file(folder_ / "file", "text")));
  EXPECT_TRUE(
      refused(Database::open({folder_ / "file/things.sqlite", Durability::kNormal, {}, kThings}), "own.file_failed"));
}

TEST_F(DatabaseFile, RefusesAFileThatIsNoDatabase) {
  ASSERT_TRUE(succeeded(replace_file(folder_ / "letter.sqlite", std::string(4096, 'x'))));
  const auto database = Database::open({folder_ / "letter.sqlite", Durability::kNormal, {}, kThings});
  ASSERT_TRUE(refused(database, "store.failed"));
  EXPECT_NE(database.error().text().find("letter.sqlite"), std::string::npos);
}

}  // namespace
}  // namespace postern::services
