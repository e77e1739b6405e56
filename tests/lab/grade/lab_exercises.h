// postern-lab grade lab1|lab2|lab3: the twelve attacks against the stack with the student's configuration: what still
// gets through, and where to look, without the answer. The names of controls are not printed.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/exercise/exercise.h"
#include "tests/lab/exercise/starter.h"
#include "tests/lab/grade/grade_command.h"
#include "tests/lab/report/grade.h"

namespace postern::lab {

// "lab1", "lab2", "lab3".
[[nodiscard]] bool is_exercise(std::string_view subject);

// Runs one attack ("A1" to "A12").
using PlayAttack = std::function<Check(const std::string& attack)>;
// Makes ready a stack with the starter's controls taken away.
using BeginAttacks = std::function<PlayAttack(const Starter& starter)>;

// How an attack that was run counts in an exercise: what belongs to a later one is left out and said; what cannot be
// seen here, where everything can, is an error.
[[nodiscard]] Check graded(const Exercise& exercise, const Starter& starter, Check attack);

// REQUIRES one subject, which is an exercise. The exit code: 0 nothing gets through that this exercise is about, 1
// something does, 2 wrong use, 3 a check could not run. With a note: whether the note is good, and nothing is run.
[[nodiscard]] int grade_exercise(const GradeOptions& options);
// The same with attacks of the caller's choice.
[[nodiscard]] int grade_exercise(const GradeOptions& options, const BeginAttacks& begin);

}  // namespace postern::lab
