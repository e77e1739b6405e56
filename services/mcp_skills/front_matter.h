// The front matter of a SKILL.md: a block of YAML between two lines of three hyphens (Agent Skills; SEP-2640,
// "Frontmatter").
//
// Clients read the same block with a YAML parser of their own and refuse the skill when their reading differs from what
// skills/list says. So this reads only what every YAML reads alike: lines of `key: value`, where a value is plain text
// that begins with a letter and cannot be taken for anything but text, or a JSON string in double quotes. Lists, nested
// keys, folded text, numbers and flags are refused: quote them or leave them out. Blank lines and whole lines of
// comment may stand between. Thread-safe, without state.
#pragma once

#include <string>
#include <string_view>

#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::mcp {

// An object of strings, in the order of the lines. `skills.bad_skill` with `uri` and the line that is not understood.
[[nodiscard]] Result<Json> read_front_matter(std::string_view skill_md, const std::string& uri);

}  // namespace postern::mcp
