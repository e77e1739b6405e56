// Randomness, injected.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace postern {

class RandomSource {
 public:
  virtual ~RandomSource() = default;
  // Fills the whole span. Thread-safe. Ends the process when the system has no randomness: nothing here can go on
  // without it.
  virtual void fill(std::span<unsigned char> bytes) = 0;
};

// The kernel's generator. OpenSSL's own would cost a millisecond when it is first used, and every program here starts
// with a few random bytes.
class SystemRandomSource final : public RandomSource {
 public:
  void fill(std::span<unsigned char> bytes) override;
};

// `prefix` followed by `bytes` random bytes in base64url without padding: "ch_" and 16 bytes give a case handle of 128
// bits.
[[nodiscard]] std::string random_token(RandomSource& random, std::string_view prefix, std::size_t bytes);
[[nodiscard]] std::string random_bytes(RandomSource& random, std::size_t bytes);

}  // namespace postern
