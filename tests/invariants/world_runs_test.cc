// Runs of the host in a world of the product, decided and not, with the databases of approvals and payments: no
// invariant is broken. An honest host shows few removed controls: for those the attacks are what asks.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/lab/grade/invariants/invariants.h"
#include "tests/lab/world/lab_world.h"
#include "tests/lab/world/world_folder.h"

namespace postern::lab {
namespace {

// What is left of a run on T-1042, decided or not.
Evidence world_run(bool approved) {
  const WorldFolder folder;
  LabWorldOptions options;
  options.folder = folder.path();
  const auto world = LabWorld::make(std::move(options));
  EXPECT_TRUE(world) << (world ? "" : world.error().text());
  if (!world) return {};
  HostRunOptions run;
  run.arguments = {"--wait", "30s"};
  if (approved) run.supervisor.emplace();
  const auto result = (*world)->host_run(run);
  EXPECT_TRUE(result) << (result ? "" : result.error().text());
  if (!result) return {};
  auto evidence = read_evidence(std::filesystem::path(result->wire_file).parent_path().string());
  EXPECT_TRUE(evidence) << (evidence ? "" : evidence.error().text());
  if (!evidence) return {};
  evidence->texts["stdout"] = result->out;
  evidence->texts["stderr"] = result->err;
  auto records = read_world_records(folder.path());
  EXPECT_TRUE(records) << (records ? "" : records.error().text());
  if (records) evidence->world = *std::move(records);
  EXPECT_TRUE(evidence->world);
  return *std::move(evidence);
}

Finding judged_in(const Evidence& evidence, std::string_view id) {
  for (const Invariant& invariant : invariants()) {
    if (invariant.id == id) return invariant.judge(evidence, view_of(evidence));
  }
  return {};
}

TEST(World, OfTheProductBreaksNoInvariant) {
  const Evidence evidence = world_run(true);
  for (const Invariant& invariant : invariants()) {
    const Finding finding = judged_in(evidence, invariant.id);
    EXPECT_EQ(text_of(finding.verdict), "pass") << invariant.id << ": " << finding.text;
  }
}

TEST(World, OfTheProductWithoutADecisionPaysNothing) {
  const Evidence evidence = world_run(false);
  EXPECT_EQ(text_of(judged_in(evidence, "I7").verdict), "pass") << judged_in(evidence, "I7").text;
  EXPECT_EQ(text_of(judged_in(evidence, "I8").verdict), "not_observable");
}

}  // namespace
}  // namespace postern::lab
