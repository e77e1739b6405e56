// How an internationalised host name paints, for the warning beside a link (MCP 2026-07-28 client/elicitation, "Safe
// URL Handling"; RFC 3492, Punycode). Without state.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace postern::bridge {

// Empty for a host of plain ASCII. Otherwise a part of a sentence, made visible: the letters, the scripts that they
// are of, and whether one label mixes scripts: `paints as "désk.example.test", in Latin letters`.
[[nodiscard]] std::string host_letters(std::string_view host);

// The label after "xn--" as code points; nothing when it is no Punycode.
[[nodiscard]] std::optional<std::u32string> punycode_decode(std::string_view label);

}  // namespace postern::bridge
