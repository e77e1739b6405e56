// Resolution of URI references against a base (RFC 3986 section 5.2), for "$id" and "$ref". Any scheme; nothing is
// fetched.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace postern::schema {

// The absolute form of `reference`; it may carry a fragment. An empty base leaves a relative reference as it is.
[[nodiscard]] std::string resolve_reference(std::string_view base, std::string_view reference);
// Before and after the "#"; the second is empty when there is none.
[[nodiscard]] std::pair<std::string, std::string> split_fragment(std::string_view uri);

}  // namespace postern::schema
