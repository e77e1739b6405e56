#include <cstring>

#include "tests/fuzz/pieces.h"
#include "tests/fuzz/targets.h"
#include "wire/base/check.h"
#include "wire/transport/response_reader.h"

namespace postern::fuzz {
namespace {

constexpr ResponseBounds kBounds{512, 8, 128};

struct Reading {
  std::string head;
  std::string body;
  std::string failure;  // its id; empty when the response was read whole

  friend bool operator==(const Reading&, const Reading&) = default;
};

Reading read_in_pieces(std::string_view input, std::size_t longest) {
  Pieces pieces(input, longest, longest);
  std::string_view piece;
  const auto read = [&](char* to, std::size_t size) -> std::ptrdiff_t {
    if (piece.empty()) piece = pieces.next();
    const std::size_t taken = std::min(size, piece.size());
    std::memcpy(to, piece.data(), taken);
    piece.remove_prefix(taken);
    return static_cast<std::ptrdiff_t>(taken);
  };
  ResponseReader reader(read, kBounds, "http://127.0.0.1:1");
  Reading out;
  const auto head = reader.read_head();
  if (!head) return {{}, {}, std::string(head.error().id())};
  POSTERN_CHECK(head->status >= 200 && head->status <= 599);
  POSTERN_CHECK(head->headers.fields().size() <= kBounds.header_lines_max);
  out.head = std::to_string(head->status) + "\n";
  for (const HeaderField& field : head->headers.fields()) {
    POSTERN_CHECK(field.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
    out.head += field.name + ":" + field.value + "\n";
  }
  for (;;) {
    const auto next = reader.read_body();
    if (!next) {
      out.failure = next.error().id();
      out.body.clear();  // how much came before the failure is the network's to decide
      return out;
    }
    if (next->empty()) break;
    out.body += *next;
    POSTERN_CHECK(out.body.size() <= kBounds.body_bytes_max);
  }
  POSTERN_CHECK(input.find(out.body) != input.npos || head->headers.has("transfer-encoding"));
  return out;
}

}  // namespace

void http_response(std::string_view input) {
  const Reading whole = read_in_pieces(input, input.size() + 1);
  for (const std::size_t longest : {std::size_t{1}, std::size_t{5}, std::size_t{60}}) {
    POSTERN_CHECK(read_in_pieces(input, longest) == whole);
  }
}

}  // namespace postern::fuzz
