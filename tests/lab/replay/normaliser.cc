#include "tests/lab/replay/normaliser.h"

#include <charconv>
#include <chrono>

#include "wire/base/replace_text.h"

namespace postern::lab {
namespace {

constexpr JsonBounds kLineBounds{16 * 1024 * 1024, 64};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_base64url(char c) {
  return is_digit(c) || is_lower(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
}

// The id of a mark: six hex digits of a fingerprint, or the number of an alias.
bool is_id(std::string_view id, char sign) {
  if (sign == '#' ? id.empty() || id.size() > 6 || id.front() == '0' : id.size() != 6) return false;
  for (const char c : id) {
    if (!is_digit(c) && (sign == '#' || c < 'a' || c > 'f')) return false;
  }
  return true;
}

// An address, where no further digit makes it another one.
std::string with_address(const std::string& text, std::string_view address, const std::string& alias) {
  std::string out;
  std::size_t kept = 0;
  for (std::size_t at = text.find(address); at != std::string::npos; at = text.find(address, at + 1)) {
    const std::size_t end = at + address.size();
    if (at < kept || (end < text.size() && is_digit(text[end]))) continue;
    out.append(text, kept, at - kept).append(alias);
    kept = end;
  }
  return out.append(text, kept);
}

// Numbers by first appearance, from 1.
template <class Map, class Key>
typename Map::mapped_type numbered(Map& map, const Key& key) {
  return map.try_emplace(key, static_cast<typename Map::mapped_type>(map.size() + 1)).first->second;
}

}  // namespace

std::optional<SecretMark> next_mark(std::string_view text, std::size_t from, char sign) {
  for (std::size_t begin = text.find('<', from); begin != std::string_view::npos; begin = text.find('<', begin + 1)) {
    std::size_t at = begin + 1;
    while (at < text.size() && is_lower(text[at])) ++at;
    if (at == begin + 1 || at >= text.size() || text[at] != sign) continue;
    const std::size_t close = text.find('>', at);
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view id = text.substr(at + 1, close - at - 1);
    if (is_id(id, sign)) return SecretMark{begin, close + 1, text.substr(begin + 1, at - begin - 1), id};
  }
  return std::nullopt;
}

std::optional<std::int64_t> unix_ms_of(std::string_view text) {
  if (text.size() != 24 || text[10] != 'T' || text[23] != 'Z') return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t digits) {
    int value = -1;
    std::from_chars(text.data() + at, text.data() + at + digits, value);
    return value;
  };
  const std::chrono::year_month_day day{std::chrono::year(number(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(number(8, 2)))};
  if (!day.ok()) return std::nullopt;
  const auto time = std::chrono::sys_days(day) + std::chrono::hours(number(11, 2)) +
                    std::chrono::minutes(number(14, 2)) + std::chrono::seconds(number(17, 2)) +
                    std::chrono::milliseconds(number(20, 3));
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

std::size_t Normaliser::number_of(std::string_view digits) const {
  const auto found = secrets_.find(digits);
  return found == secrets_.end() ? 0 : found->second;
}

std::string Normaliser::with_numbers(std::string_view text) {
  if (next_mark(text, 0, '#')) saw_alias_ = true;
  std::string out;
  std::size_t kept = 0;
  for (auto mark = next_mark(text, 0, ':'); mark; mark = next_mark(text, mark->end, ':')) {
    out.append(text, kept, mark->begin - kept);
    out.append("<").append(mark->kind).append("#");
    out += std::to_string(numbered(secrets_, std::string(mark->id)));
    out += '>';
    kept = mark->end;
  }
  return out.append(text, kept);
}

// The image of a verifier under SHA-256: no secret, and another one each time.
std::string Normaliser::challenges(std::string text) {
  constexpr std::string_view kName = "code_challenge=";
  for (std::size_t at = text.find(kName); at != std::string::npos; at = text.find(kName, at + 1)) {
    const std::size_t begin = at + kName.size();
    std::size_t end = begin;
    while (end < text.size() && is_base64url(text[end])) ++end;
    if (end - begin != 43) continue;
    const std::size_t number = numbered(challenges_, text.substr(begin, end - begin));
    text.replace(begin, end - begin, "<challenge#" + std::to_string(number) + ">");
  }
  return text;
}

std::string Normaliser::text(std::string_view from) {
  std::string out = challenges(with_numbers(from));
  if (out.find('{') != std::string::npos) {
    for (const auto& [name, address] : words_.origins) {
      if (out.find("{" + name + "}") != std::string::npos || out.find("{" + name + "%3A}") != std::string::npos)
        saw_alias_ = true;
    }
    for (const std::string_view alias : {"{run}", "{nonce}", "{folder}"}) {
      if (out.find(alias) != std::string::npos) saw_alias_ = true;
    }
  }
  for (const auto& [name, address] : words_.origins) {
    out = with_address(out, address, "{" + name + "}");
    std::string encoded = address;
    replace_all(encoded, ":", "%3A");
    out = with_address(out, encoded, "{" + name + "%3A}");
  }
  replace_all(out, words_.folder, "{folder}");
  replace_all(out, words_.run, "{run}");
  replace_all(out, words_.nonce, "{nonce}");
  return out;
}

Json Normaliser::value(const Json& from) {
  if (const std::string* string = from.string()) return text(*string);
  if (from.is_array()) {
    Json out = Json::array();
    for (const Json& element : from.elements()) out.push(value(element));
    return out;
  }
  if (!from.is_object()) return from;
  Json out = Json::object();
  for (const auto& [name, member] : from.members()) out.set(text(name), value(member));
  return out;
}

std::optional<Json> Normaliser::line(std::string_view source) {
  const auto json = parse_json(source, kLineBounds);
  if (!json || !json->is_object()) return std::nullopt;
  const auto seq = json->integer_at("seq");
  if (!seq || *seq <= 0) return std::nullopt;
  const auto number = static_cast<std::uint64_t>(*seq);
  if (number != last_seq_ + 1) ++missing_;
  last_seq_ = number;
  Json out = Json::object();
  for (const auto& [name, member] : json->members()) {
    if (name == "seq") continue;
    if (name == "at") {
      const auto at = unix_ms_of(json->string_at("at"));
      out.set("at", at ? Json(*at - words_.began_ms) : member);
    } else if (name == "exchange" && member.is_integer()) {
      const std::int64_t exchange = member.integer().value_or(0);
      out.set("exchange", exchange == 0 ? exchange : numbered(exchanges_, exchange));
    } else if (name == "digest" && member.is_string()) {
      out.set("digest", "#" + std::to_string(numbered(digests_, *member.string())));
    } else {
      out.set(name, value(member));
    }
  }
  return out;
}

}  // namespace postern::lab
