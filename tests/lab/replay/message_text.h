// A line of a recording as the bytes of its message.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "wire/base/json.h"

namespace postern::lab {

// The start line, the headers and the blank line, each text of it as `fill` gives it; empty when the line has no start.
[[nodiscard]] std::string head_bytes(const Json& line, const std::function<std::string(std::string_view)>& fill);
// The value of a header, the first of that name; empty when there is none.
[[nodiscard]] std::string_view header_of(const Json& line, std::string_view name);
[[nodiscard]] bool is_chunked(const Json& line);

}  // namespace postern::lab
