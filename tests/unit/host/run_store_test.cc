// The folders of runs: their rights, their order, and names that are no runs.
#include "host/run_store.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_env.h"
#include "wire/base/file.h"

namespace postern::host {
namespace {

using test::refused;
using test::succeeded;

struct StoreBench {
  test::TemporaryFolder folder;
  test::TestEnv env;
  RunStore store{folder.path() + "/state"};
};

TEST(RunStore, KeepsARunForItsOwnerOnly) {
  StoreBench bench;
  auto record = bench.store.create(bench.env.clock, bench.env.random, "T-1042");
  ASSERT_TRUE(succeeded(record));
  EXPECT_TRUE(is_run_id(record->run)) << record->run;
  EXPECT_EQ(*file_mode(bench.store.folder(record->run)) & 0777U, 0700U);
  EXPECT_EQ(*file_mode(bench.store.folder(record->run) + "/run.json") & 0777U, 0600U);
  record->model_url = "http://127.0.0.1:8998";
  record->pins = "/home/rowan/pins.json";
  record->model_done = true;
  ASSERT_TRUE(succeeded(bench.store.save(*record)));
  const auto lock = bench.store.lock(record->run);
  const auto loaded = bench.store.load(record->run);
  ASSERT_TRUE(succeeded(loaded));
  EXPECT_EQ(json_of(*loaded), json_of(*record));
  EXPECT_EQ(loaded->model_url, record->model_url);
  EXPECT_EQ(loaded->pins, record->pins);
  EXPECT_TRUE(loaded->model_done);
}

TEST(RunStore, ShowsNothingHiddenOfARecordThatCameFromElsewhere) {
  StoreBench bench;
  RunRecord record = *bench.store.create(bench.env.clock, bench.env.random, "T-1042");
  const std::string run = record.run;
  record.outcome = "paid\x1b[31m";
  Json json = json_of(record);
  json.set("run", "../../elsewhere");
  ASSERT_TRUE(succeeded(replace_file(bench.store.folder(run) + "/run.json", json.dump())));
  const auto loaded = bench.store.load(run);
  ASSERT_TRUE(succeeded(loaded));
  EXPECT_EQ(loaded->outcome, "paid[U+001B][31m");
  EXPECT_EQ(loaded->run, run);
}

TEST(RunStore, ListsTheNewestFirst) {
  StoreBench bench;
  const std::string old_run = bench.store.create(bench.env.clock, bench.env.random, "T-0001")->run;
  bench.env.clock.advance(Milliseconds(1000));
  const std::string new_run = bench.store.create(bench.env.clock, bench.env.random, "T-0002")->run;
  const auto runs = bench.store.list(10);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.front().run, new_run);
  EXPECT_EQ(bench.store.named_or_newest("")->run, new_run);
  EXPECT_EQ(bench.store.named_or_newest(old_run)->run, old_run);
  EXPECT_EQ(bench.store.list(1).size(), 1U);
}

TEST(RunStore, RefusesNamesThatAreNoRuns) {
  StoreBench bench;
  for (const char* name :
       {"../../etc", "http-20261130T024512-7c1", "http-20261130T024512-7C1E", "x", "http-20261130T024512-7c1e/.."}) {
    EXPECT_TRUE(refused(bench.store.load(name), "usage.no_such_run")) << name;
    EXPECT_TRUE(refused(bench.store.remove(name), "usage.no_such_run")) << name;
  }
  EXPECT_TRUE(refused(bench.store.named_or_newest(""), "usage.no_such_run"));
}

TEST(RunStore, RemovesARunWhole) {
  StoreBench bench;
  const std::string run = bench.store.create(bench.env.clock, bench.env.random, "T-0001")->run;
  ASSERT_TRUE(succeeded(bench.store.remove(run)));
  EXPECT_FALSE(file_exists(bench.store.folder(run)));
  EXPECT_TRUE(refused(bench.store.load(run), "usage.no_such_run"));
}

TEST(RunStore, SaysWhichFolderItCannotMake) {
  test::TestEnv env;
  RunStore store("/proc/none");
  const auto record = store.create(env.clock, env.random, "T-1042");
  ASSERT_TRUE(refused(record, "own.file_failed"));
  EXPECT_NE(record.error().text().find("/proc/none"), std::string::npos);
}

TEST(RunStore, LetsOneProgramAtATimeWorkOnARun) {
  StoreBench bench;
  const RunRecord record = *bench.store.create(bench.env.clock, bench.env.random, "T-0001");
  EXPECT_FALSE(bench.store.in_use(record.run));
  EXPECT_EQ(bench.store.load(record.run)->state, "interrupted");  // nobody works on it, whatever the record says
  {
    const auto lock = bench.store.lock(record.run);
    ASSERT_TRUE(succeeded(lock));
    EXPECT_TRUE(bench.store.in_use(record.run));
    EXPECT_EQ(bench.store.load(record.run)->state, "running");
    EXPECT_TRUE(refused(bench.store.lock(record.run), "usage.wrong"));
  }
  EXPECT_FALSE(bench.store.in_use(record.run));
  EXPECT_TRUE(succeeded(bench.store.lock(record.run)));
}

}  // namespace
}  // namespace postern::host
