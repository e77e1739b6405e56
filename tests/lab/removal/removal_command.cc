#include "tests/lab/removal/removal_command.h"

#include <algorithm>
#include <iostream>
#include <map>

#include "tests/lab/attack/attack_run.h"
#include "tests/lab/removal/removal_matrix.h"
#include "tests/lab/removal/world_player.h"
#include "tests/lab/world/control_set.h"
#include "wire/base/embedded.h"
#include "wire/base/file.h"

POSTERN_EMBEDDED(fixtures_attacks_matrix)

namespace postern::lab {
namespace {

constexpr int kPassed = 0;
constexpr int kFailed = 1;
constexpr int kWrongUse = 2;
constexpr int kCouldNotRun = 3;
constexpr std::size_t kMatrixBytesMax = 4 * 1024 * 1024;
constexpr std::string_view kMatrixFile = "fixtures/attacks/matrix.json";
constexpr std::string_view kNothingRemoved = "all controls";

int fail(const Failure& failure) {
  std::cerr << failure.text() << "\n";
  return failure.disposition() == Disposition::kUsage && failure.as<RemovalStopped>() == nullptr ? kWrongUse
                                                                                                 : kCouldNotRun;
}

Result<Matrix> expected_matrix(const RemovalOptions& options) {
  if (options.expected.empty()) return read_matrix(embedded::fixtures_attacks_matrix().front().content);
  POSTERN_TRY(const std::string text, read_file(options.expected, kMatrixBytesMax));
  return read_matrix(text);
}

Check planned(std::string id, std::string name) {
  Check check;
  check.id = std::move(id);
  check.name = std::move(name);
  return check;
}

std::vector<Check> planned_checks(bool pairs) {
  std::vector<Check> checks;
  checks.push_back(planned(std::string(kNothingRemoved), "with nothing taken away every attack is blocked"));
  for (const Control& control : ControlSet::all()) {
    checks.push_back(planned(std::string(control.name), std::string(control.about)));
  }
  if (pairs) checks.push_back(planned("pairs", "what two controls stop together and neither alone"));
  return checks;
}

std::string lines_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text;
}

std::string text_of(const Ends& ends) {
  std::string text;
  for (const auto& [file, end] : ends) text += (text.empty() ? "" : ", ") + file + " " + end;
  return text.empty() ? "nothing changes" : text;
}

Ends row_of(const std::map<std::string, Ends>& rows, const std::string& name) {
  const auto row = rows.find(name);
  return row == rows.end() ? Ends{} : row->second;
}

// Fills in the result of each control, and of the pairs.
class Judge {
 public:
  Judge(const Matrix& expected, const Matrix& got, bool pairs)
      : expected_(expected), got_(got), idle_(idle_controls(got, pairs ? with_explanations() : expected)) {
    for (const std::string& line : wrong_explanations(got, expected)) wrong_[line.substr(0, line.find(' '))] = line;
  }

  void control(Check& check) const {
    const Ends is = row_of(got_.singles, check.id);
    std::vector<std::string> wrong;
    if (!expected_.singles.contains(check.id)) wrong.push_back("the expected matrix has no row of it");
    for (std::string& line : differences(check.id, row_of(expected_.singles, check.id), is)) {
      wrong.push_back(std::move(line));
    }
    if (std::find(idle_.begin(), idle_.end(), check.id) != idle_.end()) {
      wrong.push_back("its removal changes nothing: it does no work, or it is one with another; explain or delete it");
    }
    if (const auto line = wrong_.find(check.id); line != wrong_.end()) wrong.push_back(line->second);
    finish(check, text_of(row_of(expected_.singles, check.id)), text_of(is), wrong);
    const auto why = expected_.explained.find(check.id);
    if (wrong.empty() && why != expected_.explained.end()) check.got += ": " + why->second;
  }

  void pairs(Check& check) const {
    std::vector<std::string> wrong;
    for (const auto& [name, ends] : got_.pairs) {
      for (std::string& line : differences(name, row_of(expected_.pairs, name), ends)) wrong.push_back(std::move(line));
    }
    for (const auto& [name, ends] : expected_.pairs) {
      if (got_.pairs.contains(name)) continue;
      for (std::string& line : differences(name, ends, {})) wrong.push_back(std::move(line));
    }
    finish(check, std::to_string(expected_.pairs.size()) + " pairs that show more",
           std::to_string(got_.pairs.size()) + " pairs that show more", wrong);
  }

 private:
  [[nodiscard]] Matrix with_explanations() const {
    Matrix matrix = got_;
    matrix.explained = expected_.explained;
    return matrix;
  }
  static void finish(Check& check, std::string expected, std::string got, const std::vector<std::string>& wrong) {
    check.expected = std::move(expected);
    check.got = wrong.empty() ? std::move(got) : lines_of(wrong);
    check.verdict = wrong.empty() ? Verdict::kPass : Verdict::kFail;
    check.next = wrong.empty() ? "" : "postern-lab attack --mutate --update";
  }

  const Matrix& expected_;
  const Matrix& got_;
  std::vector<std::string> idle_;
  std::map<std::string, std::string> wrong_;
};

int update(const RemovalOptions& options, const Matrix& expected, Matrix got) {
  const std::string file = options.expected.empty() ? std::string(kMatrixFile) : options.expected;
  if (!file_exists(file)) {
    std::cerr << "There is no " << file << " here: --update writes into the tree of the sources.\n";
    return kWrongUse;
  }
  got.explained = expected.explained;
  if (!options.pairs) got.pairs = expected.pairs;
  for (const auto rows : {&Matrix::singles, &Matrix::pairs}) {
    for (const auto& [name, ends] : got.*rows) {
      for (const std::string& line : differences(name, row_of(expected.*rows, name), ends)) std::cout << line << "\n";
    }
    for (const auto& [name, ends] : expected.*rows) {
      if (!(got.*rows).contains(name)) std::cout << name << ": is no longer there\n";
    }
  }
  const Status written = replace_file(file, to_text(got));
  if (!written) return fail(written.error());
  std::cout << file << " written.\n";
  return kPassed;
}

}  // namespace

int removal_command(const RemovalOptions& options) {
  const auto expected = expected_matrix(options);
  if (!expected) return fail(expected.error());
  auto reports = Reports::begin(options.reports, "removal", "product", planned_checks(options.pairs));
  if (!reports) return fail(reports.error());
  WorldPlayer player;
  const auto whole = player.play({});
  if (!whole) return fail(whole.error());
  const Ends baseline = ends_of(*whole);
  MatrixOptions matrix;
  for (const Control& control : ControlSet::all()) matrix.controls.emplace_back(control.name);
  matrix.pairs = options.pairs;
  matrix.stopped = [&reports] { return reports->stop().stop_requested(); };
  const auto got =
      play_matrix(matrix, [&](const std::vector<std::string>& removed, const std::vector<std::string>& cases) {
        return player.play(removed, cases);
      });
  if (!got) return fail(got.error());
  std::cout << table_of(*got);
  if (options.update && !baseline.empty()) {
    std::cerr << "With every control in place: " << text_of(baseline) << ". Nothing was written.\n";
    return kFailed;
  }
  if (options.update) return update(options, *expected, *got);

  const Judge judge(*expected, *got, options.pairs);
  for (Check check : planned_checks(options.pairs)) {
    if (check.id == kNothingRemoved) {
      check.verdict = baseline.empty() ? Verdict::kPass : Verdict::kFail;
      check.expected = "nothing changes";
      check.got = text_of(baseline);
    } else if (check.id == "pairs") {
      judge.pairs(check);
    } else {
      judge.control(check);
    }
    reports->add(std::move(check));
  }
  const auto failed = std::count_if(reports->suite().checks.begin(), reports->suite().checks.end(),
                                    [](const Check& check) { return check.verdict == Verdict::kFail; });
  const std::string summary =
      std::to_string(ControlSet::all().size()) + " controls taken away" +
      (options.pairs ? ", and each two of them" : "") +
      (failed == 0 ? ": each stops what the matrix says." : ": " + std::to_string(failed) + " not as the matrix says.");
  const auto exit = reports->finish(summary);
  return exit ? *exit : fail(exit.error());
}

}  // namespace postern::lab
