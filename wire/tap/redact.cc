#include "wire/tap/redact.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "wire/base/check.h"
#include "wire/base/uri.h"
#include "wire/tap/secret_places.h"
#include "wire/tap/typed_answers.h"

namespace postern {
namespace {

// From `secret` to `end` of the text a fingerprint of that kind takes the place.
struct Found {
  std::size_t secret = 0;
  std::size_t end = 0;
  std::string_view kind;
  bool percent_encoded = false;  // the fingerprint is of the decoded text, so that it equals the one seen elsewhere
};

bool is_token_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.' || c == '~' || c == '+' || c == '/' || c == '=';
}

// What nobody writes by hand: a digit or a capital in it. Keeps prose such as "bearer authentication-required"
// readable.
bool reads_like_a_secret(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); });
}

bool is_fingerprint(std::string_view text) {
  return text.size() > 9 && text.front() == '<' && text.find('>') != std::string_view::npos;
}

std::size_t skip_while(std::string_view text, std::size_t from, bool (*wanted)(char)) {
  while (from < text.size() && wanted(text[from])) ++from;
  return from;
}

// The end of a JSON string whose opening quote stood behind `backslashes` of them: 0 in plain JSON, 1 in JSON inside a
// string, 3 one level deeper. A quote ends it when the run of backslashes before it is what that depth of quoting
// writes for a bare quote.
std::size_t end_of_json_string(std::string_view text, std::size_t from, std::size_t backslashes) {
  for (std::size_t i = from; i < text.size();) {
    const std::size_t next = text.find_first_of("\"\\", i);
    if (next == std::string_view::npos) return text.size();
    std::size_t quote = next;
    while (quote < text.size() && text[quote] == '\\') ++quote;
    if (quote == text.size()) return text.size();
    const std::size_t run = quote - next;
    if (text[quote] == '"' && run % (2 * (backslashes + 1)) == backslashes) return quote - backslashes;
    i = quote + 1;
  }
  return text.size();
}

// After "Bearer " and the like, so that the fingerprint is that of the credential alone.
std::size_t after_scheme(std::string_view text, std::size_t from, std::size_t end) {
  for (const std::string_view scheme : {"bearer", "basic", "service", "dpop"}) {
    if (end - from <= scheme.size()) continue;
    bool same = true;
    for (std::size_t i = 0; same && i < scheme.size(); ++i) same = (text[from + i] | 0x20) == scheme[i];
    if (!same) continue;
    std::size_t next = from + scheme.size();
    if (text.substr(next, 3) == "%20") return std::min(next + 3, end);
    if (text[next] != ' ' && text[next] != '\t' && text[next] != '+') continue;
    while (next < end && (text[next] == ' ' || text[next] == '\t' || text[next] == '+')) ++next;
    return next;
  }
  return from;
}

std::string_view kind_of_shape(std::string_view secret, std::string_view otherwise) {
  constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
      {"ch_", "handle"}, {"apt_", "token"}, {"ac_", "code"}, {"svc_", "credential"},
      {"hs_", "secret"}, {"rs_", "state"},  {"eyJ", "jwt"}};
  for (const auto& [prefix, kind] : kKinds) {
    if (secret.substr(0, prefix.size()) == prefix) return kind;
  }
  return otherwise;
}

std::optional<Found> read_field(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t name = begin + 1;
  if (text[begin] == '%') {
    while (text.substr(name, 2) == "25") name += 2;  // %253F
    name += 2;
  }
  std::size_t name_end = text.rfind('=', end - 1);
  const bool encoded = name_end != end - 1;
  if (encoded) name_end = text.rfind('%', end - 1);
  const std::optional<std::string> decoded = percent_decode(text.substr(name, name_end - name));
  const auto place = secret_place(decoded ? *decoded : text.substr(name, name_end - name));
  std::size_t last = end;
  while (last < text.size()) {
    const char c = text[last];
    if (c == '&' || c == ';' || c == '#' || c == '"' || c == '\'' || c == '<' || c == '>' || c == '\\' || c == '|' ||
        static_cast<unsigned char>(c) <= ' ') {
      break;
    }
    if (encoded && c == '%' &&
        (text.substr(last, 3) == "%26" || text.substr(last, 3) == "%23" || text.substr(last, 3) == "%3B"))
      break;
    ++last;
  }
  if (last == end) return std::nullopt;
  return Found{end, last, place ? place->kind : "secret", true};
}

std::string_view name_at(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() &&
         (text[end] == '-' || text[end] == '_' || ((text[end] | 0x20) >= 'a' && (text[end] | 0x20) <= 'z')))
    ++end;
  return text.substr(begin, end - begin);
}

// `name": "value` or `name: value`; the match ends where the value begins.
std::optional<Found> read_named(std::string_view text, std::size_t begin, std::size_t end) {
  const auto place = secret_place(name_at(text, begin));
  const bool hidden_input = text[end - 1] == '"' && !place;  // name="csrf" value="
  const std::string_view kind = place ? place->kind : "csrf";
  std::size_t last = end;
  bool quoted = false;
  if (text[end - 1] == '"') {
    std::size_t backslashes = 0;
    while (end >= 2 + backslashes && text[end - 2 - backslashes] == '\\') ++backslashes;
    last = end_of_json_string(text, end, backslashes);
    quoted = true;
  } else {
    last = text[end - 1] == '\'' ? text.find_first_of("'\r\n", end) : text.find_first_of(" \t\r\n|,\"'&;<>)]}\\", end);
    if (last == std::string_view::npos) last = text.size();
    // The credential stands after its scheme: authorization: Bearer abc
    const std::size_t credential = after_scheme(text, end, text.size());
    if (credential > end) last = skip_while(text, credential, [](char c) { return is_token_character(c) || c == '%'; });
  }
  const std::size_t secret = kind == "token" || kind == "credential" ? after_scheme(text, end, last) : end;
  const std::string_view value = text.substr(secret, last - secret);
  if (value.empty() || is_fingerprint(value)) return std::nullopt;
  if (!quoted || (place && place->ambiguous) || hidden_input) {
    if (!reads_like_a_secret(value)) return std::nullopt;
  }
  if (quoted && place && place->ambiguous && (value.size() < 8 || value.find(' ') != std::string_view::npos))
    return std::nullopt;
  if (!quoted && value.front() == '{') return std::nullopt;
  return Found{secret, last, kind, text.substr(end, secret - end).find('%') != std::string_view::npos};
}

std::optional<Found> read_shape(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t secret = begin;
  const std::size_t credential = after_scheme(text, begin, end);
  std::string_view kind = "key";
  if (credential > begin) {
    secret = credential;
    kind = (text[begin] | 0x20) == 'b' && (text[begin + 1] | 0x20) == 'a' ? "credential" : "token";
  }
  std::size_t last = end;
  while (last < text.size() && is_token_character(text[last])) ++last;
  // Bearer resource_metadata="https://...": a parameter of a challenge and no credential.
  if (credential > begin && text[last - 1] == '=' && last < text.size() && text[last] == '"') return std::nullopt;
  while (last > end && text[last - 1] == '.') --last;  // the end of a sentence
  const std::string_view value = text.substr(secret, last - secret);
  if (!reads_like_a_secret(value)) return std::nullopt;
  return Found{secret, last, kind_of_shape(value, kind), false};
}

std::optional<Found> read_private_key(std::string_view text, std::size_t begin, std::size_t end) {
  // The lines of base64, with line ends as they are or as JSON writes them, and the closing line.
  std::size_t last = skip_while(text, end, [](char c) {
    return (is_token_character(c) && c != '-') || c == '\n' || c == '\r' || c == ' ' || c == '\\';
  });
  const std::string_view closing = "-----END ";
  if (text.substr(last, closing.size()) == closing) {
    const std::size_t dashes = text.find("-----", last + closing.size());
    if (dashes != std::string_view::npos) last = dashes + 5;
  }
  return Found{begin, last, "key", false};
}

// The expression finds where something secret begins; what it is follows from how the match begins and ends.
std::optional<Found> read_match(std::string_view text, std::size_t begin, std::size_t end) {
  const char first = text[begin];
  const char last = text[end - 1];
  if (first == '?' || first == '&' || first == ';' || first == '#' || first == '%') return read_field(text, begin, end);
  if (first == ':') return Found{text.find(':', begin + 1) + 1, end - 1, "credential", false};
  if (first == '-') return read_private_key(text, begin, end);
  if (first == '"') {
    const std::size_t value = text.rfind('"', end - 1) + 1;
    const std::size_t close = text.find_first_of("\"\\", end);
    return Found{value, close == std::string_view::npos ? text.size() : close, "key", false};
  }
  if (last == '"' || last == '\'' || last == ':' || last == '=' || last == ' ' || last == '\t')
    return read_named(text, begin, end);
  return read_shape(text, begin, end);
}

// Letters that a writer of JSON escaped without need (\u0026 for "&") are put back, so that names and shapes are seen.
// Quotes, backslashes and control characters stay escaped.
std::string without_needless_escapes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && text.substr(i + 1, 3) == "u00" && i + 5 < text.size() && digit(text[i + 4]) >= 2 &&
        digit(text[i + 5]) >= 0) {
      const char c = static_cast<char>(digit(text[i + 4]) * 16 + digit(text[i + 5]));
      if (digit(text[i + 4]) < 8 && c != '"' && c != '\\' && c != 0x7F) {
        while (!out.empty() && out.back() == '\\') out.pop_back();
        out += c;
        i += 5;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

}  // namespace

struct Redactor::Patterns {
  Patterns() : secrets(secret_expression(), options()) { POSTERN_CHECK(secrets.ok()); }
  static re2::RE2::Options options() {
    re2::RE2::Options options;
    options.set_encoding(re2::RE2::Options::EncodingLatin1);  // bytes that are no UTF-8 are text too
    options.set_log_errors(false);
    return options;
  }
  re2::RE2 secrets;
};

Redactor::Redactor(const Fingerprints& fingerprints)
    : fingerprints_(fingerprints), patterns_(std::make_unique<const Patterns>()) {}

Redactor::~Redactor() = default;

std::string Redactor::text(std::string_view source) const {
  std::string unescaped;
  std::string unanswered;
  std::string_view text = source;
  constexpr std::string_view kAnswers = "inputResponses";
  if (::memmem(text.data(), text.size(), kAnswers.data(), kAnswers.size()) != nullptr) {
    unanswered = without_answers(text, fingerprints_);
    text = unanswered;
  }
  // memmem(3), because a search for the first character stops at each backslash of JSON inside JSON.
  if (::memmem(text.data(), text.size(), "\\u00", 4) != nullptr) {
    unescaped = without_needless_escapes(text);
    text = unescaped;
  }
  std::string out;
  out.reserve(text.size());
  const re2::StringPiece whole(text.data(), text.size());
  std::size_t copied = 0;
  std::size_t from = 0;
  re2::StringPiece match;
  while (from < text.size() && patterns_->secrets.Match(whole, from, text.size(), re2::RE2::UNANCHORED, &match, 1)) {
    const auto begin = static_cast<std::size_t>(match.data() - text.data());
    const std::size_t end = begin + match.size();
    const std::optional<Found> found = read_match(text, begin, end);
    if (!found || found->end <= found->secret) {
      from = begin + 1;
      continue;
    }
    const std::string_view secret = text.substr(found->secret, found->end - found->secret);
    out.append(text, copied, found->secret - copied);
    std::optional<std::string> decoded;
    if (found->percent_encoded) decoded = percent_decode(secret);
    out += mark(found->kind, decoded ? *decoded : secret);
    copied = found->end;
    from = found->end;
  }
  out.append(text, copied, text.size() - copied);
  return out;
}

std::string Redactor::text_in_pieces(std::string_view source) const {
  return known_.without_pieces(text(source), fingerprints_);
}

// The fingerprint; what is long and random enough is remembered for its pieces.
std::string Redactor::mark(std::string_view kind, std::string_view secret) const {
  for (const std::string_view whole :
       {"token", "jwt", "handle", "state", "credential", "code", "key", "verifier", "secret", "assertion"}) {
    if (kind == whole && reads_like_a_secret(secret) && secret.find_first_of(" \n") == std::string_view::npos)
      known_.remember(secret);
  }
  return fingerprints_.mark(kind, secret);
}

std::string Redactor::form(std::string_view body) const {
  std::string with_separator = "&";
  with_separator += body;
  return text(with_separator).substr(1);
}

namespace {

// "a=1; b=2" of Cookie, "a=1; Path=/; HttpOnly" of Set-Cookie: names and attributes stay readable.
std::string cookies(const Fingerprints& fingerprints, std::string_view value, bool only_first) {
  std::string out;
  bool first = true;
  while (!value.empty()) {
    const std::size_t semicolon = std::min(value.find(';'), value.size());
    const std::string_view part = value.substr(0, semicolon);
    const std::size_t equals = part.find('=');
    if (only_first && !first) {
      out += part;
    } else if (equals == std::string_view::npos) {
      out += part.empty() ? std::string() : fingerprints.mark("cookie", part);
    } else {
      out.append(part, 0, equals + 1);
      if (equals + 1 < part.size()) out += fingerprints.mark("cookie", part.substr(equals + 1));
    }
    value.remove_prefix(semicolon);
    if (value.empty()) break;
    out += ';';
    value.remove_prefix(1);
    first = false;
  }
  return out;
}

bool ends_with_ignoring_case(std::string_view text, std::string_view end) {
  if (text.size() < end.size()) return false;
  text.remove_prefix(text.size() - end.size());
  return std::equal(text.begin(), text.end(), end.begin(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

}  // namespace

std::string Redactor::header(std::string_view name, std::string_view value) const {
  const auto place = secret_place(name);
  if (place && place->kind == "cookie") return cookies(fingerprints_, value, place->name == "set-cookie");
  const bool named_like_one = ends_with_ignoring_case(name, "-token") || ends_with_ignoring_case(name, "-secret") ||
                              ends_with_ignoring_case(name, "api-key") ||
                              ends_with_ignoring_case(name, "-authorization");
  if ((place && !place->ambiguous) || named_like_one) {
    const std::size_t credential = after_scheme(value, 0, value.size());
    const std::string_view secret = value.substr(credential);
    if (secret.empty()) return std::string(value);
    const std::string_view scheme = value.substr(0, credential);
    std::string_view kind = place ? place->kind : "secret";
    if (!scheme.empty() && (scheme.front() == 'S' || scheme.front() == 's')) kind = "credential";
    if (!scheme.empty() && (scheme.substr(0, 2) == "Ba" || scheme.substr(0, 2) == "ba")) kind = "credential";
    return mark(kind, secret);
  }
  return text(value);
}

}  // namespace postern
