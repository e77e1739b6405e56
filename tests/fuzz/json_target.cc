#include "tests/fuzz/targets.h"
#include "wire/base/canonical_json.h"
#include "wire/base/check.h"
#include "wire/base/json.h"

namespace postern::fuzz {
namespace {

constexpr JsonBounds kBounds{16 * 1024, 24};

std::size_t depth_of(const Json& value) {
  std::size_t below = 0;
  for (const Json& element : value.elements()) below = std::max(below, depth_of(element));
  for (const auto& member : value.members()) below = std::max(below, depth_of(member.second));
  return value.is_array() || value.is_object() ? below + 1 : 0;
}

bool is_named(const Failure& failure) {
  return failure.as<MalformedJson>() != nullptr || failure.as<JsonOverBound>() != nullptr ||
         failure.as<JsonDuplicateMember>() != nullptr;
}

// Every failure's text goes to people: one line, no control characters.
bool is_visible(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
}

void check_value(const Json& value) {
  POSTERN_CHECK(depth_of(value) <= kBounds.depth_max);
  const std::string text = value.dump();
  const auto again = parse_json(text, {8 * kBounds.bytes_max, kBounds.depth_max});
  POSTERN_CHECK(again.has_value());
  POSTERN_CHECK(*again == value && value == *again);
  POSTERN_CHECK(again->dump() == text);
  const auto pretty = parse_json(value.pretty(), {1 << 20, kBounds.depth_max});
  POSTERN_CHECK(pretty.has_value() && *pretty == value);
  const std::string canonical = canonical_json(value);
  const auto read = parse_json(canonical, {8 * kBounds.bytes_max, kBounds.depth_max});
  POSTERN_CHECK(read.has_value() && canonical_json(*read) == canonical);
  const Json copy = value;  // NOLINT(performance-unnecessary-copy-initialization): copying is what is tried
  POSTERN_CHECK(copy == value);
}

}  // namespace

void json(std::string_view input) {
  const auto value = parse_json(input, kBounds);
  if (!value) {
    POSTERN_CHECK(is_named(value.error()) && is_visible(value.error().text()));
    return;
  }
  POSTERN_CHECK(input.size() <= kBounds.bytes_max);
  check_value(*value);
  // White space around a text changes nothing, a wider bound neither, and anything behind the value is refused.
  const auto wider = parse_json(" \r\n\t" + std::string(input) + "\n", {1 << 20, 64});
  POSTERN_CHECK(wider.has_value() && *wider == *value);
  POSTERN_CHECK(!parse_json(std::string(input) + " ]", {1 << 20, 64}).has_value());
}

}  // namespace postern::fuzz
