// Plays the attack cases against a target, and says of each whether it was blocked.
//
// An attack (A1 to A12) is blocked when every case of it that expects a failure ended as that failure and moved no
// money it should not, and every neighbouring case was let through: a server that refuses everybody blocks nothing.
#pragma once

#include <functional>
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

// One check an attack: id "A6". `fresh` gives a target with nothing done yet; it may give the same one again where
// cases do not disturb one another.
using TargetMaker = std::function<Result<std::shared_ptr<Target>>()>;
[[nodiscard]] std::vector<Check> run_attacks(const std::vector<std::string>& attacks, const TargetMaker& fresh);

}  // namespace postern::lab
