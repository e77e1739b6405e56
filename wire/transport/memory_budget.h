// A bound on the memory that many holders have in all.
//
// Lock-free and thread-safe; a charge belongs to one thread at a time. The budget must outlive its charges.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace postern {

class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  [[nodiscard]] std::size_t used() const { return used_; }

  // What one holder has.
  class Charge {
   public:
    explicit Charge(MemoryBudget& budget) : budget_(budget) {}
    Charge(const Charge&) = delete;
    Charge& operator=(const Charge&) = delete;
    ~Charge() { budget_.used_ -= bytes_; }

    // Holds `bytes` from now on. False when they do not fit; then it holds what it did before.
    [[nodiscard]] bool hold(std::size_t bytes) {
      if (bytes > bytes_ && !budget_.take(bytes - bytes_)) return false;
      if (bytes < bytes_) budget_.used_ -= bytes_ - bytes;
      bytes_ = bytes;
      return true;
    }
    // Hands so many bytes over, or all that it has.
    void hand_to(Charge& other, std::size_t bytes) {
      const std::size_t moved = std::min(bytes, bytes_);
      bytes_ -= moved;
      other.bytes_ += moved;
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

   private:
    MemoryBudget& budget_;
    std::size_t bytes_ = 0;
  };

 private:
  bool take(std::size_t bytes) {
    if (used_.fetch_add(bytes) + bytes <= bytes_max_) return true;
    used_ -= bytes;
    return false;
  }

  const std::size_t bytes_max_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace postern
