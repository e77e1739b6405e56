#include <algorithm>

#include "tests/fuzz/targets.h"
#include "wire/base/check.h"
#include "wire/mcp/headers.h"

namespace postern::fuzz {

void header_value(std::string_view input) {
  // Any text survives the way through a header, and what crosses is what a header may hold.
  const std::string encoded = mcp::encode_header_value(input);
  POSTERN_CHECK(std::all_of(encoded.begin(), encoded.end(), [](char c) { return c >= 0x20 && c <= 0x7E; }));
  POSTERN_CHECK(encoded.empty() || (encoded.front() != ' ' && encoded.back() != ' '));
  const auto decoded = mcp::decode_header_value(encoded);
  POSTERN_CHECK(decoded.has_value() && *decoded == input);
  // What is taken from a stranger's header has one meaning.
  const auto read = mcp::decode_header_value(input);
  if (!read) return;
  const auto again = mcp::decode_header_value(mcp::encode_header_value(*read));
  POSTERN_CHECK(again.has_value() && *again == *read);
}

}  // namespace postern::fuzz
