// Pieces of secrets: the redactor's third net.
//
// A secret that a peer sends in two halves (over two data lines of an event, two lines of stdout) has no name beside
// its second half and no shape. But it was seen whole before, so its pieces are known: any run of 8 or more characters
// of it. Remembers only what was found by the other nets, bounded; nothing of it leaves this object. Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include "wire/base/mutex.h"
#include "wire/tap/fingerprint.h"

namespace postern {

class KnownSecrets {
 public:
  static constexpr std::size_t kPieceBytes = 8;

  // Secrets under 16 bytes are not remembered: their pieces occur in other text by chance.
  void remember(std::string_view secret);
  // The text with every such run replaced by `<part:a1b2c3>`.
  [[nodiscard]] std::string without_pieces(std::string_view text, const Fingerprints& fingerprints) const;

 private:
  [[nodiscard]] bool is_piece(std::uint64_t bytes) const POSTERN_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::unordered_set<std::uint64_t> pieces_ POSTERN_GUARDED_BY(mutex_);
  // A bit for each piece, looked at first: nearly all text stops there.
  std::array<std::uint64_t, 1024> bits_ POSTERN_GUARDED_BY(mutex_){};
};

}  // namespace postern
