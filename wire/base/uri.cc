#include "wire/base/uri.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

#include "wire/base/bytes.h"
#include "wire/base/visible_text.h"

namespace postern {
namespace {

bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

// Characters of RFC 3986 that may stand in a path or query, without the percent sign.
bool is_uri_character(char c) {
  return is_unreserved(c) || std::string_view("!$&'()*+,;=:@/?").find(c) != std::string_view::npos;
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return lower(c); });
  return out;
}

std::uint16_t default_port(std::string_view scheme) {
  return scheme == "https" ? 443 : 80;
}

bool is_ipv6(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

bool is_host_name(std::string_view host) {
  return !host.empty() && host.size() <= 253 &&
         std::all_of(host.begin(), host.end(), [](char c) { return is_unreserved(c) && c != '~'; });
}

// Splits "host:port" or "[v6]:port"; false when it is neither.
bool read_authority(std::string_view authority, Uri& uri) {
  std::string_view port;
  bool has_port = false;
  if (!authority.empty() && authority.front() == '[') {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) return false;
    uri.host = lower(authority.substr(1, end - 1));
    if (!is_ipv6(uri.host)) return false;
    const std::string_view rest = authority.substr(end + 1);
    has_port = !rest.empty();
    if (has_port && rest.front() != ':') return false;
    if (has_port) port = rest.substr(1);
  } else {
    const std::size_t colon = authority.find(':');
    uri.host = lower(authority.substr(0, colon));
    if (!is_host_name(uri.host)) return false;
    has_port = colon != std::string_view::npos;
    if (has_port) port = authority.substr(colon + 1);
  }
  uri.port = default_port(uri.scheme);
  if (!has_port) return true;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), value);
  if (error != std::errc() || end != port.data() + port.size() || value == 0 || value > 65535) return false;
  uri.port = static_cast<std::uint16_t>(value);
  return true;
}

bool well_escaped(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size() || !hex_decode(lower(text.substr(i + 1, 2)))) return false;
      i += 2;
    } else if (!is_uri_character(text[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::string Uri::authority() const {
  const std::string shown = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return port == default_port(scheme) ? shown : shown + ":" + std::to_string(port);
}

std::string Uri::origin() const {
  return scheme + "://" + authority();
}

std::string Uri::target() const {
  return has_query ? path + "?" + query : path;
}

bool Uri::is_loopback() const {
  return is_loopback_host(host);
}

bool is_loopback_host(std::string_view host) {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  const std::string name(host);
  in_addr v4{};
  if (inet_pton(AF_INET, name.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  return name == "::1" || lower(name) == "localhost";
}

Result<Uri> parse_uri(std::string_view text) {
  const auto refuse = [&](const char* reason) { return MalformedUri{visible_line(text, 200), reason}; };
  if (text.size() > 4096) return refuse("it is longer than 4096 bytes");
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos) return refuse("it is not an absolute http or https URI");
  Uri uri;
  uri.scheme = lower(text.substr(0, colon));
  if (uri.scheme != "http" && uri.scheme != "https") return refuse("its scheme is neither http nor https");
  const std::string_view rest = text.substr(colon + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  if (authority.find('@') != std::string_view::npos) return refuse("it carries user information");
  if (!read_authority(authority, uri)) return refuse("its host or port is not well formed");
  std::string_view target = rest.substr(authority.size());
  if (target.find('#') != std::string_view::npos) return refuse("it has a fragment");
  const std::size_t question = target.find('?');
  uri.has_query = question != std::string_view::npos;
  uri.path = target.substr(0, question);
  if (uri.path.empty()) uri.path = "/";
  if (uri.has_query) uri.query = target.substr(question + 1);
  if (!well_escaped(uri.path) || !well_escaped(uri.query)) return refuse("it holds a character that must be escaped");
  return uri;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
    } else {
      out += '%';
      out += kDigits[static_cast<unsigned char>(c) >> 4];
      out += kDigits[static_cast<unsigned char>(c) & 15];
    }
  }
  return out;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const auto byte = hex_decode(lower(text.substr(i + 1, 2)));
    if (!byte) return std::nullopt;
    out += *byte;
    i += 2;
  }
  return out;
}

std::string form_encode(const FormFields& fields) {
  std::string out;
  for (const auto& [name, value] : fields) {
    if (!out.empty()) out += '&';
    out += percent_encode(name) + "=" + percent_encode(value);
  }
  return out;
}

Result<FormFields> form_decode(std::string_view text, std::size_t fields_max) {
  FormFields fields;
  while (!text.empty()) {
    const std::size_t end = text.find('&');
    const std::string_view field = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (fields.size() == fields_max) return MalformedForm{"it has more than " + std::to_string(fields_max) + " fields"};
    const std::size_t equals = field.find('=');
    const auto decode = [](std::string_view part) {
      std::string blanks(part);
      std::replace(blanks.begin(), blanks.end(), '+', ' ');
      return percent_decode(blanks);
    };
    auto name = decode(field.substr(0, equals));
    auto value = decode(equals == std::string_view::npos ? std::string_view() : field.substr(equals + 1));
    if (!name || !value) return MalformedForm{"a percent sign is not followed by two hex digits"};
    fields.emplace_back(*std::move(name), *std::move(value));
  }
  return fields;
}

Result<std::optional<std::string>> sole_field(const FormFields& fields, std::string_view name) {
  std::optional<std::string> found;
  for (const auto& [known, value] : fields) {
    if (known != name) continue;
    if (found) return MalformedForm{"the field " + visible_line(name, 40) + " occurs twice"};
    found = value;
  }
  return found;
}

std::string MalformedUri::text() const {
  return "\"" + uri + "\" is refused: " + reason + ".";
}

std::string MalformedForm::text() const {
  return "The form cannot be read: " + reason + ".";
}

}  // namespace postern
