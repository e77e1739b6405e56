#include "wire/base/canonical_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace postern {
namespace {

// UTF-16 order differs from UTF-8's byte order only where surrogates (U+10000 and above) meet U+E000 to U+FFFF.
bool utf16_less(const std::string& a, const std::string& b) {
  const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (x == a.end() || y == b.end()) return x == a.end() && y != b.end();
  const auto left = static_cast<unsigned char>(*x);
  const auto right = static_cast<unsigned char>(*y);
  const bool left_above = left >= 0xF0;
  const bool right_above = right >= 0xF0;
  if (left_above != right_above && left >= 0xEE && right >= 0xEE) return left_above;
  return left < right;
}

// ECMAScript Number::toString (ECMA-262 section 6.1.6.1.20) from the shortest digits that round-trip.
void append_ecmascript(std::string& out, double value) {
  if (value == 0) {  // -0 too
    out += '0';
    return;
  }
  if (value < 0) out += '-';
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, std::fabs(value), std::chars_format::scientific).ptr;
  const std::string_view scientific(text, static_cast<std::size_t>(end - text));
  const std::size_t mark = scientific.find('e');
  std::string digits(scientific.substr(0, mark));
  std::erase(digits, '.');
  int exponent = 0;
  const char* first = text + mark + 1;
  if (*first == '+') ++first;
  std::from_chars(first, end, exponent);
  const int count = static_cast<int>(digits.size());
  const int point = exponent + 1;  // digits before the decimal point
  const auto places = [](int n) { return static_cast<std::size_t>(n); };
  if (count <= point && point <= 21) {
    out += digits;
    out.append(places(point - count), '0');
  } else if (0 < point && point <= 21) {
    out += digits.substr(0, places(point)) + "." + digits.substr(places(point));
  } else if (-6 < point && point <= 0) {
    out += "0.";
    out.append(places(-point), '0');
    out += digits;
  } else {
    out += digits.substr(0, 1);
    if (count > 1) out += "." + digits.substr(1);
    out += exponent < 0 ? "e-" : "e+";
    out += std::to_string(std::abs(exponent));
  }
}

void append(std::string& out, const Json& value) {
  if (value.is_object()) {
    std::vector<const Json::Member*> members;
    for (const auto& member : value.members()) members.push_back(&member);
    std::sort(members.begin(), members.end(),
              [](const auto* a, const auto* b) { return utf16_less(a->first, b->first); });
    out += '{';
    for (const auto* member : members) {
      if (member != members.front()) out += ',';
      Json::append_quoted(out, member->first);
      out += ':';
      append(out, member->second);
    }
    out += '}';
  } else if (value.is_array()) {
    out += '[';
    bool first = true;
    for (const auto& element : value.elements()) {
      if (!first) out += ',';
      first = false;
      append(out, element);
    }
    out += ']';
  } else if (value.is_number() && !value.is_integer()) {
    append_ecmascript(out, *value.number());
  } else {
    out += value.dump();
  }
}

}  // namespace

std::string canonical_json(const Json& value) {
  std::string out;
  append(out, value);
  return out;
}

}  // namespace postern
