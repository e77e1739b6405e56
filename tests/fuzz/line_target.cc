#include <vector>

#include "tests/fuzz/pieces.h"
#include "tests/fuzz/targets.h"
#include "wire/base/check.h"
#include "wire/transport/line_framer.h"

namespace postern::fuzz {
namespace {

constexpr std::size_t kLineMax = 48;
const std::string kTooLong = "\n";  // no line holds it

struct Lines {
  std::vector<std::string> lines;
  std::string rest;
};

void take(LineFramer& framer, Lines& out) {
  for (;;) {
    const auto next = framer.next();
    if (!next) {
      POSTERN_CHECK(next.error().id() == FrameTooLarge::kId);
      out.lines.push_back(kTooLong);
    } else if (*next) {
      out.lines.push_back(**next);
    } else {
      return;
    }
  }
}

Lines read_in_pieces(std::string_view input, std::size_t longest) {
  LineFramer framer(kLineMax);
  Lines out;
  Pieces pieces(input, longest, longest);
  for (std::string_view piece = pieces.next(); !piece.empty(); piece = pieces.next()) {
    framer.feed(piece);
    take(framer, out);
  }
  out.rest = framer.rest();
  return out;
}

// The same by the plainest means.
Lines expected(std::string_view input) {
  Lines out;
  for (std::size_t end = input.find('\n'); end != input.npos; end = input.find('\n')) {
    std::string line(input.substr(0, end));
    input.remove_prefix(end + 1);
    if (line.size() > kLineMax) {
      out.lines.push_back(kTooLong);
      continue;
    }
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.rfind("\xEF\xBB\xBF", 0) == 0) line.erase(0, 3);
    out.lines.push_back(std::move(line));
  }
  if (input.size() > kLineMax) {
    out.lines.push_back(kTooLong);
  } else {
    out.rest = input;
  }
  return out;
}

}  // namespace

void line(std::string_view input) {
  const Lines right = expected(input);
  for (const std::size_t longest : {input.size() + 1, std::size_t{1}, std::size_t{7}, std::size_t{100}}) {
    const Lines lines = read_in_pieces(input, longest);
    POSTERN_CHECK(lines.lines == right.lines);
    POSTERN_CHECK(lines.rest == right.rest);
  }
}

}  // namespace postern::fuzz
