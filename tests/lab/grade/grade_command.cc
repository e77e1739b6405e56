#include "tests/lab/grade/grade_command.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "tests/lab/grade/invariants/grade_runs.h"
#include "tests/lab/grade/lab_exercises.h"
#include "tests/lab/grade/recorded_evidence.h"
#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

namespace fs = std::filesystem;

constexpr int kWrongUse = 2;
constexpr int kCouldNotRun = 3;

// Where the product keeps its runs (docs/architecture.md).
std::string runs_folder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::string(state) + "/postern/runs";
  const char* home = std::getenv("HOME");
  return std::string(home == nullptr ? "" : home) + "/.local/state/postern/runs";
}

// A folder without a run.json is one of fixtures.
std::vector<std::string> paths_of(const std::string& subject) {
  std::error_code error;
  std::string path = subject;
  if (!fs::exists(path, error) && subject.find('/') == subject.npos) path = runs_folder() + "/" + subject;
  if (!fs::is_directory(path, error) || fs::exists(fs::path(path) / "run.json", error)) return {path};
  std::vector<std::string> out;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    if (entry.path().extension() == ".run") out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> paths_of(const std::vector<std::string>& subjects) {
  if (subjects.empty()) return paths_of(std::string(POSTERN_SOURCE_DIR "/fixtures/runs"));
  std::vector<std::string> out;
  for (const std::string& subject : subjects) {
    const std::vector<std::string> paths = paths_of(subject);
    out.insert(out.end(), paths.begin(), paths.end());
  }
  return out;
}

std::string summary_of(const std::vector<Check>& checks, std::size_t runs) {
  std::size_t held = 0;
  std::string broken;
  std::string unseen;
  for (const Check& check : checks) {
    if (check.id == "logs") continue;
    if (check.verdict == Verdict::kPass) ++held;
    if (check.verdict == Verdict::kFail) broken += (broken.empty() ? "" : ", ") + check.id;
    if (check.verdict == Verdict::kNotObservable) unseen += (unseen.empty() ? "" : ", ") + check.id;
  }
  std::string summary =
      std::to_string(held) + " of 10 invariants hold over " + std::to_string(runs) + (runs == 1 ? " run." : " runs.");
  if (!broken.empty()) summary += " Broken: " + broken + ".";
  if (!unseen.empty()) summary += " Not exercised: " + unseen + ".";
  if (checks.front().verdict == Verdict::kError) summary += " Not every log is whole.";
  return summary;
}

int cannot(const std::string& text, int code) {
  std::cerr << "postern-lab: " << visible_text(text) << std::endl;
  return code;
}

}  // namespace

int grade_command(const GradeOptions& options) {
  if (options.subjects.size() == 1 && is_exercise(options.subjects.front())) return grade_exercise(options);
  if (std::any_of(options.subjects.begin(), options.subjects.end(), is_exercise))
    return cannot("An exercise is graded by itself: postern-lab grade lab1", kWrongUse);
  if (!options.starter.empty() || !options.note.empty())
    return cannot("--starter and --note belong to an exercise: postern-lab grade lab1 --starter FILE", kWrongUse);
  for (const std::string& subject : options.subjects) {
    if (subject.size() == 4 && subject.starts_with("lab"))
      return cannot("There is no exercise " + subject + ". There are lab1, lab2 and lab3.", kWrongUse);
  }
  const std::vector<std::string> paths = paths_of(options.subjects);
  if (paths.empty()) return cannot("There is no run to grade.", kCouldNotRun);
  const std::string target = paths.size() == 1 ? paths.front() : std::to_string(paths.size()) + " runs";
  auto reports = Reports::begin(options.reports, "grade", target, invariant_checks());
  if (!reports) return cannot(reports.error().text(), kCouldNotRun);
  std::vector<SubjectRun> runs;
  for (const std::string& path : paths) {
    if (reports->stop().stop_requested()) break;
    runs.push_back({path, read_any_evidence(path)});
  }
  const std::vector<Check> checks = grade_runs(runs);
  if (!reports->stop().stop_requested()) {
    for (const Check& check : checks) reports->add(check);
  }
  const auto exit = reports->finish(summary_of(checks, runs.size()));
  return exit ? *exit : cannot(exit.error().text(), kCouldNotRun);
}

}  // namespace postern::lab
