// AES-256-GCM (NIST SP 800-38D): seals a text so that nobody without the key can read or change it.
//
// The sealed form is nonce (12 bytes, random), ciphertext and tag (16 bytes), in one string of raw bytes.
// `associated_data` is bound to it but not contained in it. Random nonces bound one key to far fewer than 2^32
// messages; the key rings here rotate long before.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/base/random_source.h"

namespace postern {

// REQUIRES a key of 32 bytes.
[[nodiscard]] std::string aead_seal(std::string_view key, std::string_view text, std::string_view associated_data,
                                    RandomSource& random);
// Nothing when the key, the associated data or any bit of the sealed form is not the same. REQUIRES a key of 32 bytes.
[[nodiscard]] std::optional<std::string> aead_open(std::string_view key, std::string_view sealed,
                                                   std::string_view associated_data);

}  // namespace postern
