// Files of reports: whole or not at all, an interrupted verb leaves errors, and a path where nothing can be written is
// an error.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/lab/report/report_files.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/lab_report/suites.h"
#include "wire/base/file.h"
#include "wire/base/json.h"

namespace postern::lab {
namespace {

std::vector<Check> two_planned() {
  return {a_check("A1", "first", Verdict::kError, "blocked", ""),
          a_check("A2", "second", Verdict::kError, "blocked", "")};
}

Check passed(const std::string& id) {
  return a_check(id, "done", Verdict::kPass, "blocked", "blocked: 401");
}

ReportOptions all_in(const test::TemporaryFolder& folder) {
  return {folder / "r.tap", folder / "r.xml", folder / "r.json", folder / "r.html"};
}

Json json_report(const test::TemporaryFolder& folder) {
  const auto text = read_file(folder / "r.json", 1 << 20);
  return text ? *parse_json(*text) : Json();
}

std::string verdicts(const Json& report) {
  std::string out;
  if (const Json* checks = report.find("checks")) {
    for (const Json& check : checks->elements()) out += std::string(check.string_at("verdict")) + " ";
  }
  return out;
}

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

// What a child does; its exit status, or 1000 and the number of the signal that ended it.
int in_a_child(const std::function<int()>& what, int signal = 0, const std::string& when_there = "") {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(what());
  while (signal != 0 && !file_exists(when_there)) ::usleep(1000);
  if (signal != 0) ::kill(child, signal);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST(Reports, WritesEachFileOnceAllIsKnown) {
  const test::TemporaryFolder folder;
  auto reports = Reports::begin(all_in(folder), "attack", "product", two_planned());
  ASSERT_TRUE(reports);
  reports->add(passed("A2"));
  reports->add(passed("A1"));
  const auto exit = reports->finish("2 of 2 blocked.");
  ASSERT_TRUE(exit);
  EXPECT_EQ(*exit, 0);
  EXPECT_EQ(verdicts(json_report(folder)), "pass pass ");
  EXPECT_EQ(json_report(folder).string_at("summary"), "2 of 2 blocked.");
  EXPECT_EQ(files_in(folder.path()), 4U) << "a temporary file is left";
}

// A report is shown around: what a server gave out stands in none of its files.
TEST(Reports, HoldNothingThatAServerGaveOut) {
  const test::TemporaryFolder folder;
  auto reports = Reports::begin(all_in(folder), "attack", "product", two_planned());
  ASSERT_TRUE(reports);
  Check through = passed("A1");
  through.verdict = Verdict::kFail;
  through.got = R"(got through: 200 result {"case_handle":"ch_3vy3XzJhBNBt8Kt4jRTWwQ","ticket_id":"T-1042"})";
  through.next = "curl -H 'Authorization: Bearer eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJyb3dhbiJ9.c2lnbmF0dXJl'";
  reports->add(std::move(through));
  reports->add(passed("A2"));
  EXPECT_EQ(*reports->finish("1 of 2 blocked. A1 got through."), 1);
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    const std::string text = *read_file(file.path().string(), 1 << 20);
    EXPECT_EQ(text.find("3vy3XzJh"), std::string::npos) << text;
    EXPECT_EQ(text.find("eyJzdWIi"), std::string::npos) << text;
    EXPECT_NE(text.find("T-1042"), std::string::npos) << text;
  }
}

// Nothing was seen to fail, and nothing to pass: that is no pass.
TEST(Reports, ASuiteInWhichNothingPassedIsNoPass) {
  Suite suite = a_suite();
  for (Check& check : suite.checks) check.verdict = Verdict::kNotObservable;
  EXPECT_EQ(exit_code_of(suite), 3);
  suite.checks.front().verdict = Verdict::kPass;
  EXPECT_EQ(exit_code_of(suite), 0);
}

TEST(Reports, AVerbThatWasUsedWronglyLeavesNoEarlierPass) {
  const test::TemporaryFolder folder;
  auto reports = Reports::begin(all_in(folder), "attack", "product", two_planned());
  ASSERT_TRUE(reports);
  reports->add(passed("A1"));
  reports->add(passed("A2"));
  EXPECT_EQ(*reports->finish("2 of 2 blocked."), 0);
  write_refusal(all_in(folder), "attack", "there is no attack A77");
  EXPECT_EQ(verdicts(json_report(folder)), "error ");
}

TEST(Reports, RefusesTwoReportsForOnePlaceHoweverItIsSpelled) {
  const test::TemporaryFolder folder;
  ReportOptions options;
  options.json = folder / "r";
  options.tap = folder.path() + "/./r";
  EXPECT_TRUE(test::refused(Reports::begin(options, "attack", "product", two_planned()), "lab.report_failed"));
  options.tap = folder / "t";
  EXPECT_TRUE(Reports::begin(options, "attack", "product", two_planned()));
}

TEST(Reports, WhatHasNoResultIsAnErrorAndThePlannedOrderStays) {
  const test::TemporaryFolder folder;
  auto reports = Reports::begin(all_in(folder), "attack", "product", two_planned());
  ASSERT_TRUE(reports);
  reports->add(passed("A2"));
  EXPECT_EQ(*reports->finish("done"), 3);
  EXPECT_EQ(verdicts(json_report(folder)), "error pass ");
}

TEST(Reports, AVerbThatThrowsLeavesErrors) {
  const test::TemporaryFolder folder;
  {
    auto reports = Reports::begin(all_in(folder), "attack", "product", two_planned());
    ASSERT_TRUE(reports);
    reports->add(passed("A1"));
  }
  EXPECT_EQ(verdicts(json_report(folder)), "pass error ");
  EXPECT_EQ(json_report(folder).string_at("summary"), "Ended early: 1 of 2 checks have no result.");
}

TEST(Reports, AProgramThatIsKilledLeavesNoPassOfThisRunNorOfTheOneBefore) {
  const test::TemporaryFolder folder;
  {
    auto before = Reports::begin(all_in(folder), "attack", "product", two_planned());
    before->add(passed("A1"));
    before->add(passed("A2"));
    ASSERT_EQ(*before->finish("2 of 2 blocked."), 0);
  }
  const int status = in_a_child([&folder] {
    auto reports = Reports::begin(all_in(folder), "attack", "product", two_planned());
    reports->add(passed("A1"));
    ::raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(status, 1000 + SIGKILL);
  EXPECT_EQ(verdicts(json_report(folder)), "error error ");
  EXPECT_EQ(json_report(folder).string_at("verdict"), "error");
}

TEST(Reports, ASignalEndsAVerbThatDoesNotLookWithItsFilesWritten) {
  for (const auto& [signal, code] : {std::pair<int, int>{SIGINT, 130}, std::pair<int, int>{SIGTERM, 143}}) {
    const test::TemporaryFolder folder;
    const int status = in_a_child(
        [&folder]() -> int {
          auto reports = Reports::begin(all_in(folder), "attack", "product", two_planned());
          reports->add(passed("A1"));
          std::ofstream(folder / "ready") << "1";
          for (;;) ::pause();
        },
        signal, folder / "ready");
    EXPECT_EQ(status, code);
    EXPECT_EQ(verdicts(json_report(folder)), "pass error ");
    const std::string summary(json_report(folder).string_at("summary"));
    EXPECT_EQ(summary, std::string("Interrupted by ") + (signal == SIGINT ? "SIGINT" : "SIGTERM") +
                           ": 1 of 2 checks have no result.");
    EXPECT_EQ(files_in(folder.path()), 5U);
  }
}

TEST(Reports, ASignalIsToldToAVerbThatLooksAndTheExitCodeIsTheSignals) {
  const test::TemporaryFolder folder;
  const int status = in_a_child(
      [&folder] {
        auto reports = Reports::begin(all_in(folder), "attack", "product", two_planned());
        reports->add(passed("A1"));
        std::ofstream(folder / "ready") << "1";
        while (!reports->stop().stop_requested()) std::this_thread::yield();
        std::ofstream(folder / "taken-down") << "1";
        return *reports->finish("1 of 2 blocked.");
      },
      SIGTERM, folder / "ready");
  EXPECT_EQ(status, 143);
  EXPECT_TRUE(file_exists(folder / "taken-down"));
  EXPECT_EQ(verdicts(json_report(folder)), "pass error ");
}

TEST(Reports, RefusesAFolderAsThePath) {
  const test::TemporaryFolder folder;
  const auto reports = Reports::begin({"", folder.path(), "", ""}, "attack", "product", two_planned());
  ASSERT_TRUE(failed_with(reports, "lab.report_failed"));
  EXPECT_EQ(reports.error().text(),
            "No report at " + folder.path() + ": Is a directory. Nothing half written stands there.");
}

TEST(Reports, RefusesAFolderThatIsNotThere) {
  EXPECT_TRUE(failed_with(Reports::begin({"/nonexistent/r.tap", "", "", ""}, "attack", "product", two_planned()),
                          "lab.report_failed"));
}

TEST(Reports, RefusesAFolderThatCannotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  const test::TemporaryFolder folder;
  ::chmod(folder.path().c_str(), 0500);
  EXPECT_TRUE(failed_with(Reports::begin({folder / "r.tap", "", "", ""}, "attack", "product", two_planned()),
                          "lab.report_failed"));
  ::chmod(folder.path().c_str(), 0700);
  EXPECT_EQ(files_in(folder.path()), 0U);
}

TEST(Reports, AFullDeviceIsAnErrorAndAnEmptyOneIsNot) {
  for (const auto& [device, written] : {std::pair<const char*, bool>{"/dev/full", false}, {"/dev/null", true}}) {
    auto reports = Reports::begin({"", "", device, ""}, "attack", "product", two_planned());
    ASSERT_TRUE(reports);
    reports->add(passed("A1"));
    const auto exit = reports->finish("done");
    EXPECT_EQ(failed_with(exit, "lab.report_failed"), !written);
    EXPECT_TRUE(std::filesystem::is_character_file(device));
  }
}

TEST(Reports, ALinkStaysALink) {
  const test::TemporaryFolder folder;
  std::filesystem::create_symlink(folder / "real.json", folder / "r.json");
  auto reports = Reports::begin({"", "", folder / "r.json", ""}, "attack", "product", two_planned());
  ASSERT_TRUE(reports);
  ASSERT_TRUE(reports->finish("done"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "r.json"));
  EXPECT_TRUE(std::filesystem::is_regular_file(folder / "real.json"));
}

TEST(Reports, RefusesTwoReportsAtOnePlace) {
  EXPECT_TRUE(failed_with(Reports::begin({"-", "-", "", ""}, "attack", "product", {}), "lab.report_failed"));
  EXPECT_TRUE(failed_with(Reports::begin({"/tmp/r", "/tmp/r", "", ""}, "attack", "product", {}), "lab.report_failed"));
}

TEST(Reports, AReportOnStdoutIsAloneThere) {
  const test::TemporaryFolder folder;
  const int status = in_a_child([&folder] {
    if (std::freopen((folder / "out").c_str(), "w", stdout) == nullptr) return 9;
    if (std::freopen((folder / "err").c_str(), "w", stderr) == nullptr) return 9;
    auto reports = Reports::begin({"-", "", "", ""}, "attack", "product", two_planned());
    reports->add(passed("A1"));
    reports->add(passed("A2"));
    return *reports->finish("2 of 2 blocked.");
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*read_file(folder / "out", 1 << 20),
            "TAP version 14\n1..2\nok 1 - A1 done # blocked: 401\nok 2 - A2 done # blocked: 401\n# 2 of 2 blocked.\n");
  EXPECT_EQ(*read_file(folder / "err", 1 << 20),
            "ok      A1  done: blocked: 401\nok      A2  done: blocked: 401\n2 of 2 blocked.\n");
}

TEST(Reports, AFullStdoutIsAnError) {
  const int status = in_a_child([] {
    if (std::freopen("/dev/full", "w", stdout) == nullptr) return 9;
    auto reports = Reports::begin({}, "attack", "product", two_planned());
    reports->add(passed("A1"));
    return failed_with(reports->finish("done"), "lab.report_failed") ? 3 : 0;
  });
  EXPECT_EQ(status, 3);
}

}  // namespace
}  // namespace postern::lab
