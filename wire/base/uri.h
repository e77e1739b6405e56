// Absolute http and https URIs (RFC 3986), read strictly.
//
// What browsers mend and parsers disagree about is refused: user information, a backslash, white space or control
// characters, an empty host, a port that is not 1 to 65535. Nothing is normalised but the case of scheme and host;
// identifiers (issuer, resource) are compared as the strings they are, not through this type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/base/result.h"

namespace postern {

struct Uri {
  std::string scheme;  // "http" or "https"
  std::string host;    // lower case; an IPv6 address without its brackets
  std::uint16_t port = 0;
  std::string path;   // "/" at least
  std::string query;  // without "?"
  bool has_query = false;

  // "http://127.0.0.1:8931": the port is left out when it is the scheme's own (RFC 6454 section 6.2).
  [[nodiscard]] std::string origin() const;
  // Path and query, as a request line wants them.
  [[nodiscard]] std::string target() const;
  // "127.0.0.1:8931", or without the port when it is the scheme's own: the value of a Host header.
  [[nodiscard]] std::string authority() const;
  [[nodiscard]] std::string text() const { return origin() + target(); }
  // 127.0.0.0/8, ::1 or "localhost" by name.
  [[nodiscard]] bool is_loopback() const;
};

// A fragment is refused: no URI that this program sends anywhere has one.
[[nodiscard]] Result<Uri> parse_uri(std::string_view text);

// True for "127.0.0.1", any other 127/8 address, "::1", "[::1]" and "localhost".
[[nodiscard]] bool is_loopback_host(std::string_view host);

// Percent-encoding of all but the unreserved characters (RFC 3986 section 2.3).
[[nodiscard]] std::string percent_encode(std::string_view text);
// Nothing on a "%" without two hex digits. "+" stays.
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text);

// application/x-www-form-urlencoded, also the query of an authorization request. Order is kept.
using FormFields = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] std::string form_encode(const FormFields& fields);
// Refuses a broken escape, and more than `fields_max` fields. A name may occur twice: callers that must not have that
// use sole_field().
[[nodiscard]] Result<FormFields> form_decode(std::string_view text, std::size_t fields_max = 64);
// The value when the name occurs exactly once; nothing when it is absent; a failure when it occurs twice.
[[nodiscard]] Result<std::optional<std::string>> sole_field(const FormFields& fields, std::string_view name);

struct MalformedUri {
  static constexpr std::string_view kId = "uri.malformed";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  std::string uri;  // made visible, cut
  std::string reason;
  [[nodiscard]] std::string text() const;
};
struct MalformedForm {
  static constexpr std::string_view kId = "form.malformed";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
