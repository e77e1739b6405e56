#include "pins/pin_gate.h"

#include <algorithm>
#include <map>
#include <set>

#include "wire/base/visible_text.h"

namespace postern::pins {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + visible_line(name, 60);
  return text;
}

bool is_pinned_member(std::string_view field) {
  return std::find(std::begin(kPinnedMembers), std::end(kPinnedMembers), field) != std::end(kPinnedMembers);
}

// The five pinned members first, in their own order, then the others by name.
std::vector<std::string> changed_fields(const ToolPin& reviewed, const ToolPin& served) {
  std::map<std::string, std::pair<std::string, std::string>> digests;
  for (const FieldDigest& field : reviewed.fields) digests[field.field].first = field.digest;
  for (const FieldDigest& field : served.fields) digests[field.field].second = field.digest;
  const auto describe = [](const std::string& field, const std::pair<std::string, std::string>& pair) {
    if (pair.first.empty()) return field + " (added)";
    if (pair.second.empty()) return field + " (removed)";
    return field;
  };
  std::vector<std::string> changed;
  for (const std::string_view member : kPinnedMembers) {
    const auto found = digests.find(std::string(member));
    if (found != digests.end() && found->second.first != found->second.second) {
      changed.push_back(describe(found->first, found->second));
    }
  }
  for (const auto& [field, pair] : digests) {
    if (!is_pinned_member(field) && pair.first != pair.second) changed.push_back(describe(field, pair));
  }
  return changed;
}

PinRefusal refusal_of(const std::string& tool, Failure failure, std::string pinned, std::string served) {
  return PinRefusal{tool, std::move(failure), std::move(pinned), std::move(served)};
}

}  // namespace

Result<PinnedTool> PinGate::admit(const mcp::Tool& tool) const {
  const ReviewedTool* reviewed = file_.find(tool.name);
  if (reviewed == nullptr) return ToolNotPinned{tool.name};
  const ToolPin served = pin_of(tool);
  if (served == reviewed->pin) return PinnedTool(tool, *reviewed);
  return PinMismatch{tool.name, changed_fields(reviewed->pin, served)};
}

PinVerdict PinGate::admit_all(const std::vector<mcp::Tool>& tools,
                              const std::optional<std::string>& instructions) const {
  PinVerdict verdict;
  std::map<std::string, int> occurrences;
  for (const mcp::Tool& tool : tools) ++occurrences[tool.name];
  std::set<std::string> repeated;
  for (const mcp::Tool& tool : tools) {
    const ReviewedTool* reviewed = file_.find(tool.name);
    const std::string pinned = reviewed == nullptr ? std::string() : reviewed->pin.digest;
    if (reviewed != nullptr && !reviewed->is_offered()) continue;
    if (occurrences[tool.name] > 1) {
      if (repeated.insert(tool.name).second) {
        verdict.refused.push_back(refusal_of(tool.name, ToolNameRepeated{tool.name}, pinned, pin_of(tool).digest));
      }
      continue;
    }
    Result<PinnedTool> admitted = admit(tool);
    if (admitted) {
      verdict.admitted.push_back(*std::move(admitted));
    } else {
      verdict.refused.push_back(refusal_of(tool.name, admitted.error(), pinned, pin_of(tool).digest));
    }
  }
  for (const ReviewedTool& reviewed : file_.tools) {
    if (reviewed.is_offered() && !occurrences.contains(reviewed.pin.tool)) {
      verdict.refused.push_back(
          refusal_of(reviewed.pin.tool, PinnedToolRemoved{reviewed.pin.tool}, reviewed.pin.digest, std::string()));
    }
  }
  verdict.instructions_changed = instructions != file_.instructions;
  return verdict;
}

std::string PinMismatch::reason() const {
  return "definition changed: " + joined(fields);
}

std::string PinMismatch::text() const {
  return "The definition of " + visible_line(tool, 80) + " is not the reviewed one (" + reason() +
         "). The model will not see this tool.";
}

std::string ToolNotPinned::text() const {
  return "The tool " + visible_line(tool, 80) + " was never reviewed. The model will not see it.";
}

std::string PinnedToolRemoved::text() const {
  return "The reviewed tool " + visible_line(tool, 80) + " is no longer served. The model will not see it.";
}

std::string ToolNameRepeated::text() const {
  return "The server serves two tools of the name " + visible_line(tool, 80) + ". The model will see neither.";
}

std::string reason_of(const PinRefusal& refusal) {
  if (const auto* mismatch = refusal.failure.as<PinMismatch>()) return mismatch->reason();
  if (refusal.failure.as<ToolNotPinned>() != nullptr) return "not reviewed";
  if (refusal.failure.as<PinnedToolRemoved>() != nullptr) return "no longer served";
  return "served twice";
}

}  // namespace postern::pins
