// SHA-256, HMAC-SHA-256 and HKDF-SHA-256 (RFC 5869) over OpenSSL. Thread-safe, without state; they end the process when
// OpenSSL itself fails.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace postern {

// 32 raw bytes.
[[nodiscard]] std::string sha256(std::string_view bytes);
// 64 lower-case hex digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);
// 32 raw bytes.
[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view bytes);
// `length` bytes for the purpose that `info` names. The caller keeps the result in a Secret or wipes it.
[[nodiscard]] std::string hkdf_sha256(std::string_view key, std::string_view salt, std::string_view info,
                                      std::size_t length);

}  // namespace postern
