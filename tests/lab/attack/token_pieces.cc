#include "tests/lab/attack/token_pieces.h"

#include "wire/base/bytes.h"

namespace postern::lab {
namespace {

using Pieces = std::set<std::string, std::less<>>;

// One character of an id and what stands around every claim is in other texts too, by chance.
constexpr std::size_t kIdBytesMin = 4;

void add_stretches(std::string_view text, Pieces& pieces) {
  for (std::size_t at = 0; at + kTokenPiece <= text.size(); ++at) pieces.emplace(text.substr(at, kTokenPiece));
}

// The characters that the bytes of a fact alone decide, behind `before` other bytes and with others to follow.
std::string_view decided(const std::string& encoded, std::size_t before, std::size_t fact) {
  const std::size_t first = (before * 8 + 5) / 6;
  const std::size_t last = (before + fact) * 8 / 6;
  return std::string_view(encoded).substr(first, last - first);
}

void leave_out(const std::string& fact, Pieces& pieces) {
  for (std::size_t before = 0; before < 3; ++before) {
    const std::string encoded = base64url(std::string(before, '\0') + fact);
    Pieces public_ones;
    add_stretches(decided(encoded, before, fact.size()), public_ones);
    for (const std::string& piece : public_ones) pieces.erase(piece);
  }
}

}  // namespace

Pieces pieces_of_token(std::string_view token) {
  Pieces pieces;
  add_stretches(token, pieces);
  const std::size_t first = token.find('.');
  const std::size_t second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos) return pieces;
  const auto payload = base64url_decode(token.substr(first + 1, second - first - 1));
  constexpr std::string_view kId = "\"jti\":\"";
  const std::size_t name = payload ? payload->find(kId) : std::string::npos;
  if (name == std::string::npos) return pieces;
  const std::size_t value = name + kId.size();
  const std::size_t end = payload->find('"', value);
  if (end == std::string::npos || end - value < 2 * kIdBytesMin) return pieces;
  leave_out(payload->substr(0, value + kIdBytesMin - 1), pieces);
  leave_out(payload->substr(end - (kIdBytesMin - 1)), pieces);
  return pieces;
}

bool holds_piece(std::string_view text, const Pieces& pieces) {
  for (std::size_t at = 0; at + kTokenPiece <= text.size(); ++at) {
    if (pieces.find(text.substr(at, kTokenPiece)) != pieces.end()) return true;
  }
  return false;
}

}  // namespace postern::lab
