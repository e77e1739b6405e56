#include <vector>

#include "tests/fuzz/pieces.h"
#include "tests/fuzz/targets.h"
#include "wire/base/check.h"
#include "wire/transport/sse.h"

namespace postern::fuzz {
namespace {

constexpr std::size_t kEventMax = 96;

struct Reading {
  std::vector<std::string> events;
  bool refused = false;

  friend bool operator==(const Reading&, const Reading&) = default;
};

Reading read_in_pieces(std::string_view input, std::size_t longest) {
  EventStreamReader reader(kEventMax);
  Reading out;
  const auto on_event = [&](const ServerSentEvent& event) {
    POSTERN_CHECK(event.data.size() <= kEventMax);
    POSTERN_CHECK(event.data.find('\r') == std::string::npos);
    POSTERN_CHECK(!event.type.empty() && event.type.find_first_of("\r\n") == std::string::npos);
    POSTERN_CHECK(event.id.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
    out.events.push_back(event.type + "\n" + event.id + "\n" + event.data);
    return true;
  };
  Pieces pieces(input, longest, longest);
  for (std::string_view piece = pieces.next(); !piece.empty(); piece = pieces.next()) {
    const auto fed = reader.feed(piece, on_event);
    if (fed) continue;
    POSTERN_CHECK(fed.error().id() == FrameTooLarge::kId);
    out.refused = true;
    return out;
  }
  return out;
}

}  // namespace

void event_stream(std::string_view input) {
  const Reading whole = read_in_pieces(input, input.size() + 1);
  for (const std::size_t longest : {std::size_t{1}, std::size_t{5}, std::size_t{60}}) {
    POSTERN_CHECK(read_in_pieces(input, longest) == whole);
  }
}

}  // namespace postern::fuzz
