// Plays the attack cases against a target, and says of each whether it was blocked.
//
// An attack (A1 to A12) is blocked when every case of it that expects a failure was refused and moved no money, and
// every neighbouring case was let through: a server that refuses everybody blocks nothing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/attack/target.h"
#include "tests/lab/report/grade.h"
#include "tests/support/case_file.h"

namespace postern::lab {

// The embedded cases (fixtures/attacks/*.case) of one attack, or of all when the id is empty; in their order.
[[nodiscard]] Result<std::vector<test::CaseFile>> attack_cases(std::string_view attack = {});
// "A1" to "A12", in that order, each with one line about it.
[[nodiscard]] const std::vector<std::pair<std::string, std::string>>& attack_names();

// A target with nothing done yet. One is made for the cases that leave nothing behind, and one for each other case.
using TargetMaker = std::function<Result<std::shared_ptr<Target>>()>;

enum class CaseEnd {
  kBlocked,           // refused as the case says; of a neighbour: never
  kRefusedOtherwise,  // no way through, but another refusal than the case says
  kThrough,           // an attempt that must fail got through, or moved money
  kLetThrough,        // a neighbour, as it must be
  kNeighbourRefused,  // whoever may, may not
  kNotObservable,
  kError,
};
[[nodiscard]] std::string_view text_of(CaseEnd end);

struct CaseOutcome {
  std::string file;    // "A06-accept-while-pending"
  std::string name;    // one line
  std::string expect;  // of the case
  CaseEnd end = CaseEnd::kError;
  std::string seen;  // one line for people, made visible; for not observable and errors: why
};

class AttackRun {
 public:
  explicit AttackRun(TargetMaker fresh) : fresh_(std::move(fresh)) {}

  // Every case of the attack that is asked of this target. REQUIRES one of attack_names().
  [[nodiscard]] std::vector<CaseOutcome> play(std::string_view attack);
  [[nodiscard]] CaseOutcome play(const test::CaseFile& of);
  // One check: id "A6".
  [[nodiscard]] Check check(std::string_view attack);
  // What the outcomes of one attack come to.
  [[nodiscard]] static Check check_of(std::string_view attack, const std::vector<CaseOutcome>& outcomes);

 private:
  [[nodiscard]] Result<std::shared_ptr<Target>> target_for(const test::CaseFile& of);
  // "desk: product" is asked of the product alone.
  [[nodiscard]] bool is_asked(const test::CaseFile& of);

  TargetMaker fresh_;
  std::shared_ptr<Target> shared_;
};

// One check an attack: id "A6".
[[nodiscard]] std::vector<Check> run_attacks(const std::vector<std::string>& attacks, const TargetMaker& fresh);
// "11 of 12 blocked. A6 got through."
[[nodiscard]] std::string attack_summary(const std::vector<Check>& checks);

}  // namespace postern::lab
