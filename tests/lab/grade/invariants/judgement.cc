#include "tests/lab/grade/invariants/judgement.h"

namespace postern::lab {
namespace {

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : "; ") + text;
  return out;
}

std::string place_of(const host::WireEntry& entry) {
  return "entry " + std::to_string(entry.seq);
}

}  // namespace

void Judgement::broken(const host::WireEntry& entry, std::string_view field, std::string_view what) {
  broken(place_of(entry) + ", " + std::string(field), what);
}

void Judgement::broken(std::string_view place, std::string_view what) {
  broken_.push_back(std::string(place) + ": " + std::string(what));
}

void Judgement::unreadable(const host::WireEntry& entry, std::string_view why) {
  unreadable_.push_back(place_of(entry) + ": " + std::string(why));
}

Finding Judgement::finding(std::string_view never) const {
  if (!broken_.empty()) {
    const std::string more = broken_.size() == 1 ? "" : " (and " + std::to_string(broken_.size() - 1) + " more)";
    return {Verdict::kFail, broken_.front() + more};
  }
  if (!unreadable_.empty()) return {Verdict::kError, joined(unreadable_)};
  if (seen_.empty()) return {Verdict::kNotObservable, std::string(never)};
  return {Verdict::kPass, joined(seen_) + (unseen_.empty() ? "" : ". Not seen: " + joined(unseen_))};
}

}  // namespace postern::lab
