#include "bridge/answer_formats.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <vector>

namespace postern::bridge {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_beyond_ascii(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}

// Labels of letters, digits and hyphens, also internationalised ones (RFC 5321 section 2.3.5, RFC 6531).
bool is_domain(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    const std::string_view label = text.substr(begin, end - begin);
    if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-') return false;
    if (!std::all_of(label.begin(), label.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '-' || is_beyond_ascii(c); }))
      return false;
    if (end == text.size()) return true;
    begin = end + 1;
  }
}

// A dot-string before the "@"; quoted local parts and address literals are not taken (RFC 5321 section 4.1.2).
bool is_email(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos || at == 0 || at > 64) return false;
  const std::string_view local = text.substr(0, at);
  constexpr std::string_view kAlsoAtext = "!#$%&'*+-/=?^_`{|}~.";
  const bool atoms = std::all_of(local.begin(), local.end(), [&](char c) {
    return is_letter(c) || is_digit(c) || is_beyond_ascii(c) || kAlsoAtext.find(c) != std::string_view::npos;
  });
  const bool dots = local.front() != '.' && local.back() != '.' && local.find("..") == std::string_view::npos;
  return atoms && dots && is_domain(text.substr(at + 1));
}

// A scheme and what follows it, of the characters of RFC 3986.
bool is_uri(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size() || !is_letter(text.front()))
    return false;
  const std::string_view scheme = text.substr(0, colon);
  if (!std::all_of(scheme.begin(), scheme.end(),
                   [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; }))
    return false;
  constexpr std::string_view kNever = "<>\"{}|\\^`";
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return c > 0x20 && c < 0x7F && kNever.find(c) == std::string_view::npos; });
}

// The number that stands in those places, when all of them are digits.
std::optional<int> digits_at(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(at, count)) {
    if (!is_digit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto year = digits_at(text, 0, 4);
  const auto month = digits_at(text, 5, 2);
  const auto day = digits_at(text, 8, 2);
  if (!year || !month || !day) return false;
  return std::chrono::year_month_day(std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                     std::chrono::day(static_cast<unsigned>(*day)))
      .ok();
}

// "17:08:32", "17:08:32.5" and an offset: "Z" or "+01:00" (RFC 3339 section 5.6).
bool is_time(std::string_view text) {
  if (text.size() < 9 || text[2] != ':' || text[5] != ':') return false;
  const auto hour = digits_at(text, 0, 2);
  const auto minute = digits_at(text, 3, 2);
  const auto second = digits_at(text, 6, 2);
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) return false;
  std::string_view rest = text.substr(8);
  if (rest.front() == '.') {
    std::size_t end = 1;
    while (end < rest.size() && is_digit(rest[end])) ++end;
    if (end == 1) return false;
    rest.remove_prefix(end);
  }
  if (rest == "Z" || rest == "z") return true;
  if (rest.size() != 6 || (rest[0] != '+' && rest[0] != '-') || rest[3] != ':') return false;
  const auto hours = digits_at(rest, 1, 2);
  const auto minutes = digits_at(rest, 4, 2);
  return hours && minutes && *hours <= 23 && *minutes <= 59;
}

bool is_date_time(std::string_view text) {
  return text.size() > 11 && (text[10] == 'T' || text[10] == 't') && is_date(text.substr(0, 10)) &&
         is_time(text.substr(11));
}

// "cardNumber", "card_number" and "Card number" are the same two words.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool open = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!is_letter(c) && !is_digit(c)) {
      open = false;
      continue;
    }
    const bool upper = c >= 'A' && c <= 'Z';
    const bool hump = upper && i > 0 && text[i - 1] >= 'a' && text[i - 1] <= 'z';
    if (!open || hump) words.emplace_back();
    open = true;
    words.back() += upper ? static_cast<char>(c + 32) : c;
  }
  return words;
}

constexpr auto kSecretWords = std::to_array<std::string_view>(
    {"password", "passwords", "passwd",     "passphrase",  "passcode", "pwd",  "secret", "secrets", "token",
     "tokens",   "apikey",    "credential", "credentials", "otp",      "totp", "cvv",    "cvc",     "cvv2",
     "pin",      "ssn",       "cardnumber", "creditcard",  "iban",     "mfa",  "jwt"});

struct WordPair {
  std::string_view first;
  std::string_view second;
};
constexpr auto kSecretPairs = std::to_array<WordPair>({{"api", "key"},
                                                       {"access", "key"},
                                                       {"private", "key"},
                                                       {"secret", "key"},
                                                       {"card", "number"},
                                                       {"credit", "card"},
                                                       {"debit", "card"},
                                                       {"security", "code"},
                                                       {"verification", "code"},
                                                       {"recovery", "code"},
                                                       {"seed", "phrase"},
                                                       {"account", "number"},
                                                       {"social", "security"},
                                                       {"pass", "word"},
                                                       {"pass", "code"}});

}  // namespace

std::string wrong_format(FormFormat format, std::string_view text) {
  switch (format) {
    case FormFormat::kAny:
      return {};
    case FormFormat::kEmail:
      return is_email(text) ? "" : "An e-mail address is wanted, such as rowan@example.com.";
    case FormFormat::kUri:
      return is_uri(text) ? "" : "A whole address is wanted, such as https://example.com/page.";
    case FormFormat::kDate:
      return is_date(text) ? "" : "A date is wanted, such as 2026-11-30.";
    case FormFormat::kDateTime:
      return is_date_time(text) ? "" : "A date and a time with its zone are wanted, such as 2026-11-30T17:00:00Z.";
  }
  return {};
}

bool names_a_secret(std::string_view text) {
  const std::vector<std::string> words = words_of(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (std::find(kSecretWords.begin(), kSecretWords.end(), words[i]) != kSecretWords.end()) return true;
    if (i == 0) continue;
    const bool pair = std::any_of(kSecretPairs.begin(), kSecretPairs.end(), [&](const WordPair& known) {
      return known.first == words[i - 1] && known.second == words[i];
    });
    if (pair) return true;
  }
  return false;
}

}  // namespace postern::bridge
