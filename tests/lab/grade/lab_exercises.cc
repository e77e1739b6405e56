#include "tests/lab/grade/lab_exercises.h"

namespace postern::lab {

bool is_exercise(std::string_view subject) {
  return subject == "lab1" || subject == "lab2" || subject == "lab3";
}

int grade_exercise(const GradeOptions&) {
  return 3;
}

}  // namespace postern::lab
