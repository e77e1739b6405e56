// Cuts an input into pieces, as a network does. Where it is cut follows from the input and the seed alone, so that a
// finding is found again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace postern::fuzz {

class Pieces {
 public:
  // REQUIRES longest > 0.
  Pieces(std::string_view input, std::size_t longest, std::uint64_t seed) : rest_(input), longest_(longest) {
    state_ = 0xcbf29ce484222325ULL ^ seed;
    for (const char c : input) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  // The next piece, at least one byte; empty at the end.
  std::string_view next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::size_t size = std::min<std::size_t>(rest_.size(), 1 + (state_ >> 33) % longest_);
    const std::string_view piece = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return piece;
  }

 private:
  std::string_view rest_;
  std::size_t longest_;
  std::uint64_t state_;
};

}  // namespace postern::fuzz
