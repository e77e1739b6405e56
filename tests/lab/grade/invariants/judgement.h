// What an invariant found in a run.
//
// broken() once or more: it does not hold. Otherwise seen() must have been said for it to hold; an invariant of which
// nothing was seen is not observable, with the reason. unreadable(): it could not be looked at. One thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "host/ladder/wire_run.h"
#include "tests/lab/report/grade.h"

namespace postern::lab {

struct Finding {
  Verdict verdict = Verdict::kError;
  std::string text;  // what was seen, what is broken and where, or why nothing can be said
};

class Judgement {
 public:
  // "entry 12, body.params.name: open_case was called by the model". `field` is the path in the entry.
  void broken(const host::WireEntry& entry, std::string_view field, std::string_view what);
  // In a record that is no entry: "approvals, APR-0001".
  void broken(std::string_view place, std::string_view what);
  void seen(std::string what) { seen_.push_back(std::move(what)); }
  // A part that this evidence does not show; the rest may hold.
  void unseen(std::string what) { unseen_.push_back(std::move(what)); }
  void unreadable(const host::WireEntry& entry, std::string_view why);
  // `never`: why, when nothing was seen: "no case was opened in this run".
  [[nodiscard]] Finding finding(std::string_view never) const;

 private:
  std::vector<std::string> broken_;
  std::vector<std::string> seen_;
  std::vector<std::string> unseen_;
  std::vector<std::string> unreadable_;
};

}  // namespace postern::lab
