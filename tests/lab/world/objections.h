// Which controls objected while something was played.
//
// The tables of a ControlSet note it when one of their rows refuses. It answers what cannot change: rows are pure, and a
// row that never objected in a play did nothing in it but be asked; without it the same play is the same, byte for byte.
// So of two controls taken away together only those plays have to be played in which each objected while the other was
// gone (tests/lab/removal/removal_matrix.h).
//
// Of the thread that made it, from then to its end; several may be nested, and the innermost takes the notes.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace postern::lab {

class Objections {
 public:
  Objections();
  ~Objections();
  Objections(const Objections&) = delete;
  Objections& operator=(const Objections&) = delete;

  // "desk.token.audience"
  [[nodiscard]] const std::set<std::string>& controls() const { return controls_; }
  // Kept by whoever is listening on this thread, if anybody is.
  static void note(std::string_view control);

 private:
  Objections* outer_;
  std::set<std::string> controls_;
};

}  // namespace postern::lab
