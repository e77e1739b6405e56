#include "tests/lab/grade/lab_exercises.h"

#include <algorithm>
#include <iostream>
#include <memory>

#include "tests/lab/attack/attack_run.h"
#include "tests/lab/attack/process_stack.h"
#include "tests/lab/attack/product_target.h"
#include "tests/lab/exercise/migration_note.h"
#include "tests/lab/world/control_set.h"
#include "wire/base/check.h"
#include "wire/base/file.h"
#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

constexpr int kReached = 0;
constexpr int kNotReached = 1;
constexpr int kWrongUse = 2;
constexpr int kCouldNotRun = 3;
constexpr std::size_t kNoteBytesMax = 64 * 1024;

int wrong_use(const std::string& text) {
  std::cerr << "postern-lab: " << text << '\n';
  return kWrongUse;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// The exercise that begins after this one and is about that attack.
std::string later_exercise(std::string_view after, std::string_view attack) {
  for (const std::string_view name : exercise_names()) {
    if (name <= after) continue;
    if (!exercise_of(name).may_get_through(attack)) return std::string(name);
  }
  return "none";
}

std::string where_to_look(const Exercise& exercise, std::string_view attack) {
  const Place* place = exercise.place_of(attack);
  if (place == nullptr) return "It did not get through where this exercise begins: what did you take away since?";
  return "look at " + place->file + "; " + place->page + ", \"" + place->section + "\"; first seen on the rung " +
         place->rung + ". " + place->question;
}

std::vector<Check> planned() {
  std::vector<Check> checks;
  for (const auto& attack : attack_names()) {
    Check check;
    check.id = attack.first;
    check.name = attack.second;
    checks.push_back(std::move(check));
  }
  return checks;
}

// How many letters must be put in, left out or changed.
std::size_t edits(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t i = 0; i <= to.size(); ++i) row[i] = i;
  for (std::size_t j = 1; j <= from.size(); ++j) {
    std::size_t before = row[0];
    row[0] = j;
    for (std::size_t i = 1; i <= to.size(); ++i) {
      const std::size_t changed = before + (from[j - 1] == to[i - 1] ? 0 : 1);
      before = row[i];
      row[i] = std::min({row[i] + 1, row[i - 1] + 1, changed});
    }
  }
  return row.back();
}

// What is wrong with the names; empty: there are such controls. A name that was misspelt is no answer, so the nearest
// one may be said.
std::string unknown_control(const Starter& starter) {
  for (const std::string& name : starter.controls_removed) {
    if (ControlSet::without({name})) continue;
    const auto controls = ControlSet::all();
    const auto nearest = std::min_element(
        controls.begin(), controls.end(),
        [&name](const Control& a, const Control& b) { return edits(name, a.name) < edits(name, b.name); });
    return visible_line(starter.name) + " removes \"" + visible_line(name, 60) +
           "\", and there is no such control. The nearest is \"" + std::string(nearest->name) + "\".";
  }
  return "";
}

std::string summary_of(const Exercise& exercise, const Suite& suite) {
  std::vector<std::string> through;
  std::vector<std::string> later;
  std::vector<std::string> unknown;
  std::size_t blocked = 0;
  for (const Check& check : suite.checks) {
    if (check.verdict == Verdict::kPass) ++blocked;
    if (check.verdict == Verdict::kFail) through.push_back(check.id);
    if (check.verdict == Verdict::kSkip) later.push_back(check.id);
    if (check.verdict == Verdict::kError) unknown.push_back(check.id);
  }
  std::string text = std::to_string(blocked) + " of 12 blocked.";
  if (!later.empty()) text += " For later: " + joined(later) + ".";
  if (!through.empty()) text += " Still through: " + joined(through) + ".";
  if (!unknown.empty()) text += " Not known: " + joined(unknown) + ".";
  const bool reached = through.empty() && unknown.empty();
  return text + " Checkpoint of " + exercise.name + (reached ? " reached." : " not reached.");
}

int grade_note(const std::string& file) {
  const auto text = read_file(file, kNoteBytesMax);
  if (!text) return wrong_use(visible_line(text.error().text()));
  const NoteEvidence evidence = note_evidence_of(POSTERN_SOURCE_DIR);
  if (evidence.tests.empty() || !evidence.matrix.is_object()) {
    std::cerr << "postern-lab: the sources that a note speaks of are not at " << POSTERN_SOURCE_DIR << '\n';
    return kCouldNotRun;
  }
  const NoteVerdict verdict = check_migration_note(*text, evidence);
  for (const NoteFinding& finding : verdict.findings) {
    std::cout << visible_line(file) << (finding.line > 0 ? ":" + std::to_string(finding.line) : "") << ": "
              << finding.text << '\n';
  }
  std::cout << verdict.words << " words, " << verdict.claims << " claims, " << verdict.findings.size() << " to mend.\n";
  return verdict.findings.empty() ? kReached : kNotReached;
}

// One line above the checks: what is graded.
void introduce(const Exercise& exercise, const Starter& starter, bool to_stderr) {
  std::ostream& screen = to_stderr ? std::cerr : std::cout;
  screen << exercise.name << ": " << exercise.title << ". " << visible_line(starter.name) << " removes ";
  if (starter.controls_removed.empty()) {
    screen << "nothing: this is the product as it is.\n";
  } else {
    screen << starter.controls_removed.size() << " control(s).\n";
  }
}

}  // namespace

bool is_exercise(std::string_view subject) {
  const auto names = exercise_names();
  return std::find(names.begin(), names.end(), subject) != names.end();
}

Check graded(const Exercise& exercise, const Starter& starter, Check attack) {
  attack.shown_by.clear();
  if (attack.verdict == Verdict::kNotObservable) {
    attack.got = "this cannot be seen, though it is our own stack: " + attack.got;
    attack.verdict = Verdict::kError;
  }
  if (attack.verdict != Verdict::kFail) return attack;
  if (exercise.may_get_through(attack.id)) {
    attack.verdict = Verdict::kSkip;
    attack.got = "gets through; " + later_exercise(exercise.name, attack.id) + " is about it";
    return attack;
  }
  attack.next = where_to_look(exercise, attack.id) + " See it again: postern-lab attack " + attack.id + " --starter " +
                visible_line(starter.name);
  return attack;
}

int grade_exercise(const GradeOptions& options, const BeginAttacks& begin) {
  POSTERN_CHECK(options.subjects.size() == 1 && is_exercise(options.subjects.front()));
  const Exercise exercise = exercise_of(options.subjects.front());
  if (!options.note.empty()) {
    if (exercise.name != "lab3") return wrong_use("A note belongs to lab3. Say: postern-lab grade lab3 --note FILE");
    return grade_note(options.note);
  }
  const auto starter = read_starter(options.starter.empty() ? exercise.name : options.starter);
  if (!starter) return wrong_use(starter.error().text());
  if (const std::string unknown = unknown_control(*starter); !unknown.empty()) return wrong_use(unknown);
  auto reports = Reports::begin(options.reports, "grade", exercise.name + " with starter " + starter->name, planned());
  if (!reports) return wrong_use(reports.error().text());
  introduce(exercise, *starter, options.reports.tap == "-" || options.reports.json == "-");
  const PlayAttack play = begin(*starter);
  for (const auto& attack : attack_names()) {
    if (reports->stop().stop_requested()) break;
    reports->add(graded(exercise, *starter, play(attack.first)));
  }
  const std::string summary = summary_of(exercise, reports->suite());
  const auto exit = reports->finish(summary);
  if (!exit) return wrong_use(exit.error().text());
  return *exit;
}

int grade_exercise(const GradeOptions& options) {
  return grade_exercise(options, [&options](const Starter& starter) -> PlayAttack {
    const ProcessStackOptions stack{options.program_folder, starter.controls_removed};
    const std::string name = "starter " + starter.name;
    const auto run = std::make_shared<AttackRun>([stack, name]() -> Result<std::shared_ptr<Target>> {
      POSTERN_TRY(auto started, start_process_stack(stack));
      return std::shared_ptr<Target>(std::make_shared<ProductTarget>(std::move(started), name));
    });
    return [run](const std::string& attack) { return run->check(attack); };
  });
}

}  // namespace postern::lab
