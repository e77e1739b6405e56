// The canonical form of a JSON value (RFC 8785): members sorted by the UTF-16 units of their names, numbers as
// ECMAScript writes them, no white space. What is hashed or signed here is hashed or signed in this form.
#pragma once

#include <string>

#include "wire/base/json.h"

namespace postern {

// An integer beyond 2^53 is written with the digits it has: no double stands between, so nothing is rounded and nothing
// collides.
[[nodiscard]] std::string canonical_json(const Json& value);

}  // namespace postern
