// Text forms of bytes: base64url (RFC 4648 section 5, no padding), base64 (section 4, padded) and lower-case hex. Bytes
// travel as std::string. Decoders are strict: another alphabet, padding where none belongs, a length that cannot be, or
// trailing bits that are not zero give nothing, so that one value has exactly one text form.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace postern {

[[nodiscard]] std::string base64url(std::string_view bytes);
[[nodiscard]] std::optional<std::string> base64url_decode(std::string_view text);
[[nodiscard]] std::string base64(std::string_view bytes);
[[nodiscard]] std::optional<std::string> base64_decode(std::string_view text);
[[nodiscard]] std::string hex(std::string_view bytes);
[[nodiscard]] std::optional<std::string> hex_decode(std::string_view text);

}  // namespace postern
