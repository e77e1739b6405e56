#include "services/world/world.h"

#include <algorithm>
#include <charconv>

#include "wire/base/check.h"
#include "wire/base/embedded.h"

POSTERN_EMBEDDED(fixtures_world_files)

namespace postern::services {
namespace {

std::string_view embedded_file(std::string_view name) {
  const auto files = embedded::fixtures_world_files();
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const EmbeddedFile& file) { return file.name == name; });
  POSTERN_CHECK(found != files.end());
  return found->content;
}

}  // namespace

Json World::document(std::string_view name) const {
  auto json = parse_json(embedded_file(name));
  POSTERN_CHECK(json.has_value());
  return *std::move(json);
}

std::string World::page(std::string_view name) const {
  return with_days(embedded_file(name));
}

WallTime World::days_ago(std::int64_t days) const {
  return now_ - std::chrono::days(days);
}

std::string World::with_days(std::string_view text) const {
  constexpr std::string_view kOpen = "{{";
  constexpr std::string_view kClose = " days ago}}";
  std::string out;
  for (;;) {
    const std::size_t open = text.find(kOpen);
    out += text.substr(0, open);
    if (open == std::string_view::npos) return out;
    text.remove_prefix(open + kOpen.size());
    const std::size_t close = text.find(kClose);
    POSTERN_CHECK(close != std::string_view::npos);
    int days = 0;
    const auto read = std::from_chars(text.data(), text.data() + close, days);
    POSTERN_CHECK(read.ec == std::errc() && read.ptr == text.data() + close);
    out += rfc3339(days_ago(days)).substr(0, std::string_view("2026-11-24").size());
    text.remove_prefix(close + kClose.size());
  }
}

std::string text_at(const Json& json, std::string_view name) {
  const Json* member = json.find(name);
  POSTERN_CHECK(member != nullptr && member->is_string());
  return *member->string();
}

std::int64_t number_at(const Json& json, std::string_view name) {
  const auto number = json.integer_at(name);
  POSTERN_CHECK(number.has_value());
  return *number;
}

}  // namespace postern::services
