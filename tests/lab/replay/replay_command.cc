#include "tests/lab/replay/replay_command.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "tests/lab/replay/recorder.h"
#include "tests/lab/replay/replay.h"
#include "tests/lab/replay/run_file.h"
#include "tests/lab/replay/secret_shapes.h"
#include "tests/lab/replay/temporary_folder.h"
#include "wire/base/clock.h"
#include "wire/base/file.h"
#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

constexpr int kNo = 1;
constexpr int kWrongUse = 2;
constexpr int kCannotRun = 3;
constexpr std::size_t kFixtureBytesMax = 64 * 1024 * 1024;

int say(const Failure& failure, int code) {
  std::cerr << visible_text(failure.text()) << "\n";
  return code;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string folder_of_run(const std::string& run) {
  std::string state = environment("XDG_STATE_HOME");
  if (state.empty()) state = environment("HOME") + "/.local/state";
  return state + "/postern/runs/" + run;
}

Status write_out(const std::string& path, const std::string& text) {
  if (path != "-") return replace_file(path, text);
  std::cout << text << std::flush;
  return {};
}

Result<std::vector<std::string>> fixtures_in(std::vector<std::string> asked) {
  if (asked.empty()) asked.emplace_back(POSTERN_SOURCE_DIR "/fixtures/runs");
  std::vector<std::string> files;
  for (const std::string& path : asked) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const std::size_t before = files.size();
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
      if (entry.path().extension() == ".run") files.push_back(entry.path().string());
    }
    if (files.size() == before) return BadRunFile{path, 0, "there is no recorded run in this folder"};
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
  }
  return files;
}

std::string id_of(const std::string& file) {
  return "replay." + std::filesystem::path(file).stem().string();
}

Check planned(const std::string& file) {
  Check check;
  check.id = id_of(file);
  check.name = std::filesystem::path(file).stem().string() + " played again";
  return check;
}

void fail(Check& check, const Difference& difference) {
  check.verdict = Verdict::kFail;
  const std::string where = (difference.entry > 0 ? "entry " + std::to_string(difference.entry) + ", " : "") +
                            difference.layer + ", " + difference.field + ": ";
  check.expected = where + difference.recorded;
  check.got = where + difference.replayed;
}

// The scenario again, or the recorded answers for what the host sends now.
Result<RecordedRun> made_anew(const RecordedRun& run, const std::string& folder) {
  if (!run.scenario.empty()) {
    const Scenario* scenario = find_scenario(run.scenario);
    if (scenario == nullptr) return NotReplayable{run.name, "there is no scenario of that name any more"};
    return record_scenario(*scenario, folder);
  }
  ReplayTerms terms;
  terms.folder = folder;
  terms.go_on = true;
  POSTERN_TRY(Replayed played, replay(run, terms));
  played.run.secrets = shapes_of(played.run);
  return std::move(played.run);
}

std::string first_difference(const RecordedRun& before, const RecordedRun& now) {
  for (std::size_t i = 0; i < std::min(before.lines.size(), now.lines.size()); ++i) {
    if (const auto difference = difference_of(i + 1, before.lines[i], now.lines[i])) return difference->text();
  }
  if (before.lines.size() != now.lines.size())
    return std::to_string(before.lines.size()) + " entries before, " + std::to_string(now.lines.size()) + " now";
  for (std::size_t i = 0; i < std::min(before.legs.size(), now.legs.size()); ++i) {
    for (const auto& [name, text] : {std::pair("stdout", &RecordedLeg::out), std::pair("stderr", &RecordedLeg::err)}) {
      const auto difference =
          difference_of_text(name, (before.legs[i].*text).value_or(""), (now.legs[i].*text).value_or(""));
      if (difference) return difference->text();
    }
    if (before.legs[i].exit != now.legs[i].exit)
      return "exit: " + std::to_string(before.legs[i].exit.value_or(-1)) + " before, " +
             std::to_string(now.legs[i].exit.value_or(-1)) + " now";
  }
  return "its facts";
}

Status play(const std::string& file, bool update, Check& check) {
  POSTERN_TRY(const std::string text, read_file(file, kFixtureBytesMax));
  POSTERN_TRY(const RecordedRun run, parse_run_file(file, text, update ? Seal::kLeft : Seal::kChecked));
  const TemporaryFolder folder;
  if (update) {
    POSTERN_TRY_VOID(make_folder(folder.path() + "/anew"));
    POSTERN_TRY(const RecordedRun now, made_anew(run, folder.path() + "/anew"));
    check.verdict = Verdict::kPass;
    check.got = "the same";
    const std::string rewritten = run_file_text(now);
    if (rewritten == text) return {};
    check.got = "rewritten: " + first_difference(run, now);
    return replace_file(file, rewritten);
  }
  ReplayTerms terms;
  terms.folder = folder.path();
  POSTERN_TRY(const Replayed played, replay(run, terms));
  if (played.difference) {
    fail(check, *played.difference);
    return {};
  }
  check.verdict = Verdict::kPass;
  check.got = std::to_string(run.lines.size()) + " entries the same";
  return {};
}

Check checked(const std::string& file, bool update) {
  Check check = planned(file);
  check.expected = "the same run, byte for byte";
  const SystemClock clock;
  const SteadyTime began = clock.steady_now();
  if (const Status done = play(file, update, check); !done) {
    check.verdict = Verdict::kError;
    check.got = done.error().text();
  }
  check.took = std::chrono::duration_cast<Milliseconds>(clock.steady_now() - began);
  return check;
}

std::string summary_of(const Suite& suite) {
  const auto same = std::count_if(suite.checks.begin(), suite.checks.end(),
                                  [](const Check& check) { return check.verdict == Verdict::kPass; });
  return std::to_string(same) + " of " + std::to_string(suite.checks.size()) + " recorded runs are the same.";
}

}  // namespace

int record_command(const RecordOptions& options) {
  if (options.run.empty() == options.scenario.empty()) {
    std::cerr << "Name a run, or a scenario with --scenario. There are:\n";
    for (const Scenario& scenario : all_scenarios())
      std::cerr << "  " << scenario.name << "  " << scenario.about << "\n";
    return kWrongUse;
  }
  const TemporaryFolder folder;
  Result<RecordedRun> run = BadRunFile{options.scenario, 0, "there is no scenario of that name"};
  if (!options.scenario.empty()) {
    const Scenario* scenario = find_scenario(options.scenario);
    if (scenario == nullptr) return say(run.error(), kWrongUse);
    run = record_scenario(*scenario, folder.path());
  } else {
    run = record_run(folder_of_run(options.run), folder.path());
    if (run && options.out != "-") run->name = std::filesystem::path(options.out).stem().string();
  }
  if (!run) return say(run.error(), kCannotRun);
  if (const Status written = write_out(options.out, run_file_text(*run)); !written)
    return say(written.error(), kCannotRun);
  for (const std::string& limit : run->limits) std::cerr << "cannot be played again: " << visible_line(limit) << "\n";
  return run->limits.empty() ? 0 : kNo;
}

int replay_command(const ReplayOptions& options) {
  const Result<std::vector<std::string>> files = fixtures_in(options.fixtures);
  if (!files) return say(files.error(), kWrongUse);
  std::vector<Check> plan;
  for (const std::string& file : *files) {
    const std::string id = id_of(file);
    if (std::any_of(plan.begin(), plan.end(), [&id](const Check& one) { return one.id == id; }))
      return say(BadRunFile{file, 0, "two recorded runs have that name"}, kWrongUse);
    plan.push_back(planned(file));
  }
  Result<Reports> reports = Reports::begin(options.reports, "replay", "recorded runs", std::move(plan));
  if (!reports) return say(reports.error(), kCannotRun);
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < files->size(); i = next++) {
      Check check = checked((*files)[i], options.update);
      const std::lock_guard<std::mutex> lock(mutex);
      reports->add(std::move(check));
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 1; i < options.jobs; ++i) workers.emplace_back(work);
    work();
  }
  const Result<int> code = reports->finish(summary_of(reports->suite()));
  return code ? *code : say(code.error(), kCannotRun);
}

}  // namespace postern::lab
