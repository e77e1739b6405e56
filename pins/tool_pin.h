// ToolPin: what was reviewed of one tool, as digests.
//
// The digest of a tool is SHA-256 over the canonical JSON (RFC 8785) of an object with its name, title, description,
// inputSchema and outputSchema; a member that the definition does not have is left out. Beside it stands one digest for
// each top-level member of the definition as served, whatever its name (annotations, icons, _meta), so that nothing can
// change unseen.
//
// Does not protect against: a reviewed tool that behaves otherwise than it says. A pin keeps that exactly as it was.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/mcp/types.h"

namespace postern::pins {

struct FieldDigest {
  std::string field;   // "description"
  std::string digest;  // "sha256:" and 64 hex digits, over the canonical JSON of the member
  friend bool operator==(const FieldDigest& a, const FieldDigest& b) = default;
};

struct ToolPin {
  std::string tool;
  std::string digest;               // over the five members that say what the tool is
  std::vector<FieldDigest> fields;  // of all members, sorted by name
  friend bool operator==(const ToolPin& a, const ToolPin& b) = default;
};

// The five members of the digest, in the order in which people are shown them.
inline constexpr std::string_view kPinnedMembers[] = {"name", "title", "description", "inputSchema", "outputSchema"};

// REQUIRES tool.definition to be an object.
[[nodiscard]] ToolPin pin_of(const mcp::Tool& tool);
// The bytes that are hashed for the digest: `postern pins show` prints them.
[[nodiscard]] std::string pinned_bytes(const Json& definition);
// "sha256:..." over text that is not JSON: a server's instructions.
[[nodiscard]] std::string text_digest(std::string_view text);
// "sha256:5b1e90c2…": enough for a person to compare.
[[nodiscard]] std::string short_digest(std::string_view digest);

}  // namespace postern::pins
