// A starter: which controls of the desk's side are taken away, as a file of an exercise or of a student says it.
//
//   {"controls_removed": ["desk.token.audience"], "about": "what this is"}
//
// It is read by postern-lab alone: no product program can be configured so. Immutable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/base/failure.h"
#include "wire/base/result.h"

namespace postern::lab {

struct BadStarter {
  static constexpr std::string_view kId = "lab.bad_starter";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string name;
  std::string reason;
  [[nodiscard]] std::string text() const { return name + " is no starter: " + reason + "."; }
};

struct Starter {
  std::string name;  // "lab1", or the file
  std::vector<std::string> controls_removed;
  std::string about;  // one line for people
};

// "lab1", "lab2" or "lab3" as they are committed, or a file. lab.bad_starter: it is not there, not of that form, or has
// the same control twice. Whether there are such controls is ControlSet::without()'s to say.
[[nodiscard]] Result<Starter> read_starter(std::string_view name_or_file);
// The same of a text that is at hand.
[[nodiscard]] Result<Starter> starter_of_text(std::string name, std::string_view text);

}  // namespace postern::lab
