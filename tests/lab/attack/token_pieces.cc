#include "tests/lab/attack/token_pieces.h"

#include <algorithm>
#include <optional>

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

// Where the value of a member stands in a JSON text that has no blanks; nothing when it is too short to be an id.
struct Span {
  std::size_t begin;
  std::size_t end;
};
std::optional<Span> id_in(const std::string& json, std::string_view member) {
  const std::string name = "\"" + std::string(member) + "\":\"";
  const std::size_t at = json.find(name);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + name.size();
  const std::size_t end = json.find('"', begin);
  if (end == std::string::npos || end - begin < 2 * kIdBytesMin) return std::nullopt;
  return Span{begin, end};
}

// Of the header everything counts but where the key's name begins and ends: `id":"L` is in every text about a line.
void leave_out_edges(const std::string& header, Pieces& pieces) {
  const auto key = id_in(header, "kid");
  if (!key) return;
  const std::size_t before = std::min<std::size_t>(key->begin, kTokenPiece);
  leave_out(header.substr(key->begin - before, before + kIdBytesMin - 1), pieces);
  leave_out(header.substr(key->end - (kIdBytesMin - 1)), pieces);
}

}  // namespace

Pieces pieces_of_token(std::string_view token) {
  Pieces pieces;
  const std::size_t first = token.find('.');
  const std::size_t second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos) {
    add_stretches(token, pieces);
    return pieces;
  }
  // Each part by itself: around a point stand the ends of two texts, `MDB9.` and one character more.
  add_stretches(token.substr(0, first), pieces);
  add_stretches(token.substr(first + 1, second - first - 1), pieces);
  add_stretches(token.substr(second + 1), pieces);
  if (const auto header = base64url_decode(token.substr(0, first))) leave_out_edges(*header, pieces);
  const auto payload = base64url_decode(token.substr(first + 1, second - first - 1));
  const auto id = payload ? id_in(*payload, "jti") : std::nullopt;
  if (!id) return pieces;
  leave_out(payload->substr(0, id->begin + kIdBytesMin - 1), pieces);
  leave_out(payload->substr(id->end - (kIdBytesMin - 1)), pieces);
  return pieces;
}

bool holds_piece(std::string_view text, const Pieces& pieces) {
  for (std::size_t at = 0; at + kTokenPiece <= text.size(); ++at) {
    if (pieces.find(text.substr(at, kTokenPiece)) != pieces.end()) return true;
  }
  return false;
}

}  // namespace postern::lab
