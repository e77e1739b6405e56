// postern-lab grade lab1|lab2|lab3: the attacks that an exercise is about, against the stack with the student's
// configuration: what still gets through, and where to look, without the answer.
#pragma once

#include <string_view>

#include "tests/lab/grade/grade_command.h"

namespace postern::lab {

// "lab1", "lab2", "lab3".
[[nodiscard]] bool is_exercise(std::string_view subject);

// REQUIRES one subject, which is an exercise. The exit code: 0 nothing gets through that this exercise is about, 1
// something does, 2 wrong use, 3 a check could not run.
[[nodiscard]] int grade_exercise(const GradeOptions& options);

}  // namespace postern::lab
