#include "wire/tap/secret_places.h"

#include <array>
#include <cstdio>

namespace postern {
namespace {

constexpr auto kPlaces = std::to_array<SecretPlace>({
    // Headers (RFC 9110, RFC 6265).
    {"authorization", "token", false},
    {"proxy-authorization", "credential", false},
    {"cookie", "cookie", false},
    {"set-cookie", "cookie", false},
    {"x-api-key", "key", false},
    {"api-key", "key", false},
    {"dpop", "jwt", false},
    {"mcp-session-id", "session", false},
    // Fields of OAuth (RFC 6749, 7521, 7636, 8628, 8693) and of forms.
    {"access_token", "token", false},
    {"refresh_token", "token", false},
    {"id_token", "token", false},
    {"subject_token", "token", false},
    {"actor_token", "token", false},
    {"client_secret", "secret", false},
    {"code_verifier", "verifier", false},
    {"client_assertion", "assertion", false},
    {"id_token_hint", "token", false},
    {"device_code", "code", false},
    {"registration_access_token", "token", false},
    {"headless_secret", "secret", false},
    {"csrf_token", "csrf", false},
    {"form_token", "csrf", false},
    {"api_key", "key", false},
    {"apikey", "key", false},
    {"password", "secret", false},
    // Members of our own messages and of the Messages API.
    {"case_handle", "handle", false},
    {"requeststate", "state", false},
    {"signature", "signature", true},
    // Words with another meaning in prose.
    {"assertion", "assertion", true},
    {"code", "code", true},
    {"csrf", "csrf", true},
    {"secret", "secret", true},
    {"session", "session", true},
    {"session_id", "session", true},
    {"state", "state", true},
    {"token", "token", true},
    {"user_code", "code", true},
});

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

// Each letter of the name as itself or percent-encoded.
std::string encoded_letters(std::string_view name) {
  std::string out;
  for (const char c : name) {
    char escape[64];
    const auto value = static_cast<unsigned>(static_cast<unsigned char>(c));
    if (c >= 'a' && c <= 'z') {
      std::snprintf(escape, sizeof escape, "(?:%c|%%(?:%02X|%02X))", c, value, value - 32);
    } else {
      std::snprintf(escape, sizeof escape, "(?:%c|%%%02X)", c, value);
    }
    out += escape;
  }
  return out;
}

std::string alternatives(bool with_ambiguous, bool encoded) {
  std::string out;
  for (const SecretPlace& place : kPlaces) {
    if (place.ambiguous && !with_ambiguous) continue;
    if (!out.empty()) out += '|';
    out += encoded ? encoded_letters(place.name) : std::string(place.name);
  }
  return "(?:" + out + ")";
}

}  // namespace

std::optional<SecretPlace> secret_place(std::string_view name) {
  for (const SecretPlace& place : kPlaces) {
    if (place.name.size() != name.size()) continue;
    bool same = true;
    for (std::size_t i = 0; same && i < name.size(); ++i) same = lower(name[i]) == place.name[i];
    if (same) return place;
  }
  return std::nullopt;
}

std::string secret_expression() {
  // A field of a query, form or fragment, also inside a URL that is itself a value (percent-encoded once or more).
  const std::string field = "(?i:(?:[?&;#]|%(?:25)*(?:3F|26|23|3B))" + alternatives(true, true) + "(?:=|%(?:25)*3D))";
  // A member of JSON, at any depth of JSON in strings. The name's own quote is not part of the match.
  const std::string member = "(?i:\\b" + alternatives(true, false) + R"( ?\\*"[\t\n\r ]*:[\t\n\r ]*\\*"))";
  // "name: value" and "name=value" in text.
  const std::string line = "(?i:\\b" + alternatives(false, false) + R"( {0,2}[:=][\t ]*["']?))";
  const std::string hidden_input =
      R"((?i:\bname=\\*"(?:csrf|csrf_token|form_token|state|code)\\*"[\t\n\r ]+value=\\*"))";
  const std::string credentials = R"((?i:\b(?:bearer|basic|dpop)(?:[\t ]+|%20|\+))[A-Za-z0-9._~+/\-]{12})";
  const std::string shapes =
      R"(\b(?:ch|apt|ac|svc|hs|rs)_[A-Za-z0-9_\-]{16}|\beyJ[A-Za-z0-9_.\-]{17}|\bsk-[A-Za-z0-9_\-]{20})"
      R"(|\b(?:AKIA|ASIA)[0-9A-Z]{16}|\bgh[pousr]_[A-Za-z0-9]{36}|\bgithub_pat_[A-Za-z0-9_]{22})"
      R"(|\bglpat-[A-Za-z0-9_\-]{20}|\bxox[abprs]-[A-Za-z0-9\-]{10}|\bAIza[0-9A-Za-z_\-]{35})"
      R"(|\b[rs]k_(?:live|test)_[0-9a-zA-Z]{24}|\bnpm_[A-Za-z0-9]{36}|\bSG\.[A-Za-z0-9_\-]{22}\.)";
  const std::string private_key = R"(-----BEGIN [A-Z ]*PRIVATE KEY-----)";
  const std::string user_information = R"(://[^/?#@:\s"'<>\\]*:[^/?#@\s"'<>\\]+@)";
  const std::string private_jwk = R"("[dk]\\*"[\t\n\r ]*:[\t\n\r ]*\\*"[A-Za-z0-9_\-]{22})";
  return field + "|" + member + "|" + line + "|" + hidden_input + "|" + credentials + "|" + shapes + "|" + private_key +
         "|" + user_information + "|" + private_jwk;
}

}  // namespace postern
