#include "wire/tap/known_secrets.h"

#include <cstring>

namespace postern {
namespace {

constexpr std::size_t kSecretBytesMin = 16;
constexpr std::size_t kPiecesMax = 16 * 1024;

std::uint64_t piece_at(std::string_view text, std::size_t at) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text.data() + at, sizeof bytes);
  return bytes;
}

// The upper bits of a product mix all of its factors' bits.
std::size_t bit_of(std::uint64_t bytes) {
  return static_cast<std::size_t>((bytes * 0x9E3779B97F4A7C15ULL) >> 48);
}

}  // namespace

void KnownSecrets::remember(std::string_view secret) {
  if (secret.size() < kSecretBytesMin) return;
  const MutexLock lock(mutex_);
  // Its first and last piece are there: it is known.
  if (is_piece(piece_at(secret, 0)) && is_piece(piece_at(secret, secret.size() - kPieceBytes))) return;
  for (std::size_t at = 0; at + kPieceBytes <= secret.size() && pieces_.size() < kPiecesMax; ++at) {
    const std::uint64_t bytes = piece_at(secret, at);
    pieces_.insert(bytes);
    bits_[bit_of(bytes) / 64] |= std::uint64_t{1} << (bit_of(bytes) % 64);
  }
}

bool KnownSecrets::is_piece(std::uint64_t bytes) const {
  const std::size_t bit = bit_of(bytes);
  return ((bits_[bit / 64] >> (bit % 64)) & 1) != 0 && pieces_.count(bytes) != 0;
}

std::string KnownSecrets::without_pieces(std::string_view text, const Fingerprints& fingerprints) const {
  std::string out;
  std::size_t copied = 0;
  const MutexLock lock(mutex_);
  std::size_t at = 0;
  while (at + kPieceBytes <= text.size()) {
    if (!is_piece(piece_at(text, at))) {
      ++at;
      continue;
    }
    std::size_t end = at + kPieceBytes;
    while (end < text.size() && is_piece(piece_at(text, end + 1 - kPieceBytes))) ++end;
    out.append(text, copied, at - copied);
    out += fingerprints.mark("part", text.substr(at, end - at));
    copied = at = end;
  }
  out.append(text, copied, text.size() - copied);
  return out;
}

}  // namespace postern
