// Randomness from a counter and SHA-256: the same seed gives the same bytes.
#pragma once

#include <cstring>
#include <mutex>

#include "wire/base/digest.h"
#include "wire/base/random_source.h"

namespace postern::test {

class SeededRandom final : public RandomSource {
 public:
  explicit SeededRandom(std::string seed = "seed") : seed_(std::move(seed)) {}
  void fill(std::span<unsigned char> bytes) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    while (!bytes.empty()) {
      const std::string block = sha256(seed_ + std::to_string(counter_++));
      const std::size_t size = std::min(block.size(), bytes.size());
      std::memcpy(bytes.data(), block.data(), size);
      bytes = bytes.subspan(size);
    }
  }

 private:
  std::mutex mutex_;
  std::string seed_;
  unsigned long counter_ = 0;
};

}  // namespace postern::test
