#include "services/mcp/uri_template.h"

#include <algorithm>

#include "wire/base/bytes.h"
#include "wire/base/json.h"

namespace postern::mcp {
namespace {

bool is_variable_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    std::string digits(text.substr(i + 1, 2));
    std::transform(digits.begin(), digits.end(), digits.begin(),
                   [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c + ('a' - 'A')) : c; });
    const auto byte = hex_decode(digits);
    if (!byte) return std::nullopt;
    decoded += *byte;
    i += 2;
  }
  return decoded;
}

// What is no UTF-8 comes out of JSON as another text.
bool is_utf8(const std::string& text) {
  const auto read_back = parse_json(Json(text).dump(), JsonBounds{6 * text.size() + 2, 1});
  return read_back && *read_back == Json(text);
}

std::optional<std::string> value_of(std::string_view encoded) {
  auto value = percent_decoded(encoded);
  if (!value || value->empty() || *value == "." || *value == "..") return std::nullopt;
  const bool harmless = std::none_of(value->begin(), value->end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '/' || c == '\\' || byte < 0x20 || byte == 0x7F;
  });
  return harmless && is_utf8(*value) ? value : std::nullopt;  // RFC 6570 section 1.6: the escapes are UTF-8's
}

}  // namespace

bool is_absolute_uri(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos || colon == 0 || colon + 1 == text.size()) return false;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const std::string_view scheme = text.substr(0, colon);
  const bool scheme_fits = is_letter(scheme.front()) && std::all_of(scheme.begin(), scheme.end(), [&](char c) {
                             return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
                           });
  return scheme_fits && std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

std::optional<UriTemplate> UriTemplate::parse(std::string_view text) {
  UriTemplate parsed;
  while (true) {
    const std::size_t open = text.find('{');
    const std::string_view literal = text.substr(0, open);
    if (literal.find('}') != literal.npos) return std::nullopt;
    if (literal.empty() && !parsed.variables_.empty() && open != text.npos) return std::nullopt;
    parsed.literals_.emplace_back(literal);
    if (open == text.npos) return parsed;
    const std::size_t close = text.find('}', open);
    if (close == text.npos) return std::nullopt;
    std::string name(text.substr(open + 1, close - open - 1));
    const bool known = std::find(parsed.variables_.begin(), parsed.variables_.end(), name) != parsed.variables_.end();
    if (!is_variable_name(name) || known) return std::nullopt;
    parsed.variables_.push_back(std::move(name));
    text.remove_prefix(close + 1);
  }
}

std::optional<std::map<std::string, std::string>> UriTemplate::match(std::string_view uri) const {
  if (uri.substr(0, literals_.front().size()) != literals_.front()) return std::nullopt;
  uri.remove_prefix(literals_.front().size());
  std::map<std::string, std::string> found;
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const std::string& behind = literals_[i + 1];
    const bool last = i + 1 == variables_.size();
    std::size_t end = uri.size();
    if (last) {
      if (uri.size() < behind.size() || uri.substr(uri.size() - behind.size()) != behind) return std::nullopt;
      end = uri.size() - behind.size();
    } else {
      end = uri.find(behind);
      if (end == uri.npos) return std::nullopt;
    }
    const std::string_view encoded = uri.substr(0, end);
    if (encoded.find('/') != encoded.npos) return std::nullopt;
    auto value = value_of(encoded);
    if (!value) return std::nullopt;
    found.emplace(variables_[i], *std::move(value));
    uri.remove_prefix(end + behind.size());
  }
  if (variables_.empty() && !uri.empty()) return std::nullopt;
  return found;
}

}  // namespace postern::mcp
