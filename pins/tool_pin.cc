#include "pins/tool_pin.h"

#include <algorithm>

#include "wire/base/canonical_json.h"
#include "wire/base/check.h"
#include "wire/base/digest.h"

namespace postern::pins {

std::string text_digest(std::string_view text) {
  return "sha256:" + sha256_hex(text);
}

std::string pinned_bytes(const Json& definition) {
  Json pinned = Json::object();
  for (const std::string_view member : kPinnedMembers) {
    if (const Json* value = definition.find(member)) pinned.append_member(std::string(member), *value);
  }
  return canonical_json(pinned);
}

ToolPin pin_of(const mcp::Tool& tool) {
  POSTERN_CHECK(tool.definition.is_object());
  ToolPin pin;
  pin.tool = tool.name;
  pin.digest = text_digest(pinned_bytes(tool.definition));
  for (const auto& [member, value] : tool.definition.members()) {
    FieldDigest field;
    field.field = member;
    field.digest = text_digest(canonical_json(value));
    pin.fields.push_back(std::move(field));
  }
  std::sort(pin.fields.begin(), pin.fields.end(),
            [](const FieldDigest& a, const FieldDigest& b) { return a.field < b.field; });
  return pin;
}

std::string short_digest(std::string_view digest) {
  constexpr std::size_t kShown = std::string_view("sha256:").size() + 8;
  if (digest.size() <= kShown) return std::string(digest);
  return std::string(digest.substr(0, kShown)) + "…";
}

}  // namespace postern::pins
