// An exercise of the laboratory: which attacks get through where it begins, which may still when it is done, and where
// somebody may look who is stuck. What is written down is facts; the controls that stop an attack are not among them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::lab {

// Where to look when an attack still gets through.
struct Place {
  std::string attack;   // "A1"
  std::string file;     // of the product
  std::string page;     // "docs/lab/lab2.md"
  std::string section;  // a heading of that page
  std::string rung;     // of the wire ladder: "http"
  std::string question;
};

struct Exercise {
  std::string name;  // "lab1"
  std::string title;
  std::vector<std::string> through_at_start;       // with its starter: the whole set
  std::vector<std::string> through_at_checkpoint;  // the whole set when it is done: what a later exercise is about
  std::vector<Place> places;                       // one for each attack that gets through at the start

  [[nodiscard]] bool may_get_through(std::string_view attack) const;
  [[nodiscard]] const Place* place_of(std::string_view attack) const;
};

// In the order in which they are done.
[[nodiscard]] std::span<const std::string_view> exercise_names();
// REQUIRES one of those names. The embedded docs/lab/<name>/expected.json; a file that is not of the form ends the
// program: it was built in.
[[nodiscard]] Exercise exercise_of(std::string_view name);
// The embedded text of docs/lab/<file>, or nothing.
[[nodiscard]] std::string_view lab_file(std::string_view file);

}  // namespace postern::lab
