#include "tests/lab/grade/invariants/grade_runs.h"

#include <algorithm>
#include <array>

#include "tests/lab/grade/invariants/invariants.h"
#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

constexpr std::string_view kLogs = "logs";

struct FaultyPeer {
  std::string_view scenario;
  std::array<std::string_view, 1> breaks;
};
// Only what a peer does that no host can undo: it is seen, named, and not repaired.
constexpr FaultyPeer kFaultyPeers[] = {
    {"fault-stdout-noise", {"I10"}},
    {"fault-stdout-noise-fused", {"I10"}},
};

std::string runs_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " run" : " runs");
}

Check logs_check(const std::vector<SubjectRun>& runs) {
  Check check;
  check.id = std::string(kLogs);
  check.name = "each log is whole: it can be read and its numbers have no gap";
  check.expected = "every line an entry, numbered without a gap";
  check.shown_by = "a log with one line taken out";
  check.verdict = Verdict::kPass;
  check.got = runs_text(runs.size());
  for (const SubjectRun& run : runs) {
    if (run.evidence) continue;
    check.verdict = Verdict::kError;
    check.got = visible_line(run.path) + ": " + run.evidence.error().text();
    check.run = run.path;
    break;
  }
  return check;
}

// What one invariant came to over all runs.
class Tally {
 public:
  explicit Tally(const Invariant& invariant) : invariant_(invariant) {}

  void add(const Evidence& evidence, const RunView& view) {
    Finding finding = invariant_.judge(evidence, view);
    const auto breaks = must_break(evidence.scenario);
    if (std::find(breaks.begin(), breaks.end(), invariant_.id) != breaks.end()) {
      if (finding.verdict == Verdict::kFail) {
        ++as_expected_;
        return;
      }
      finding = {Verdict::kFail, "the fault " + evidence.scenario + " must break it and was not seen"};
    }
    if (finding.verdict != Verdict::kFail && !view.unreadable.empty()) {
      finding = {Verdict::kError,
                 "entry " + std::to_string(view.unreadable.front().first->seq) + ": " + view.unreadable.front().second};
    }
    keep(evidence, finding);
  }

  [[nodiscard]] Check check() const {
    Check check;
    check.id = std::string(invariant_.id);
    check.name = std::string(invariant_.name);
    check.expected = "holds in every run";
    check.shown_by = std::string(invariant_.shown_by);
    check.verdict = worst_;
    check.run = run_;
    if (worst_ == Verdict::kPass && held_ == 1 && as_expected_ == 0 && unseen_ == 0) {
      check.got = text_;
    } else if (worst_ == Verdict::kPass) {
      check.got = "held in " + runs_text(held_);
      if (unseen_ > 0) check.got += ", not exercised in " + std::to_string(unseen_);
      if (as_expected_ > 0)
        check.got += ", broken in " + std::to_string(as_expected_) + " by a peer's fault as it must";
      check.run.clear();
    } else {
      check.got = run_.empty() ? text_ : run_ + ": " + text_;
      if (worst_ == Verdict::kFail) check.next = "postern wire show " + run_ + " --all";
    }
    return check;
  }

 private:
  static int rank(Verdict verdict) {
    switch (verdict) {
      case Verdict::kFail:
        return 4;
      case Verdict::kError:
        return 3;
      case Verdict::kPass:
        return 2;
      case Verdict::kNotObservable:
      case Verdict::kSkip:
        return 1;
    }
    return 3;
  }

  void keep(const Evidence& evidence, const Finding& finding) {
    if (finding.verdict == Verdict::kPass) ++held_;
    if (finding.verdict == Verdict::kNotObservable) ++unseen_;
    if (any_ && rank(finding.verdict) <= rank(worst_)) return;
    any_ = true;
    worst_ = finding.verdict;
    text_ = finding.text;
    run_ = evidence.name;
  }

  const Invariant& invariant_;
  bool any_ = false;
  Verdict worst_ = Verdict::kNotObservable;
  std::string text_ = "there is no run to look at";
  std::string run_;
  std::size_t held_ = 0;
  std::size_t unseen_ = 0;
  std::size_t as_expected_ = 0;
};

}  // namespace

std::span<const std::string_view> must_break(std::string_view scenario) {
  for (const FaultyPeer& peer : kFaultyPeers) {
    if (peer.scenario == scenario) return peer.breaks;
  }
  return {};
}

std::vector<Check> invariant_checks() {
  std::vector<Check> checks;
  checks.push_back(logs_check({}));
  for (const Invariant& invariant : invariants()) checks.push_back(Tally(invariant).check());
  return checks;
}

std::vector<Check> grade_runs(const std::vector<SubjectRun>& runs) {
  std::vector<Check> checks;
  checks.push_back(logs_check(runs));
  std::vector<Tally> tallies;
  for (const Invariant& invariant : invariants()) tallies.push_back(Tally(invariant));
  for (const SubjectRun& run : runs) {
    if (!run.evidence) continue;
    const RunView view = view_of(*run.evidence);
    for (Tally& tally : tallies) tally.add(*run.evidence, view);
  }
  for (const Tally& tally : tallies) checks.push_back(tally.check());
  return checks;
}

}  // namespace postern::lab
