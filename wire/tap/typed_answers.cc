#include "wire/tap/typed_answers.h"

#include <algorithm>

namespace postern {
namespace {

constexpr std::string_view kMember = "\"inputResponses\"";
constexpr std::string_view kContent = "\"content\"";
constexpr std::size_t kOfOneResponse = 2;  // the depth of its members, counted from inputResponses

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::size_t after_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

// Behind the closing quote of the string that begins at `at`, or the end of the text.
std::size_t after_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

std::size_t after_number(std::string_view text, std::size_t at) {
  constexpr std::string_view kOfNumbers = "0123456789+-.eE";
  return std::min(text.find_first_not_of(kOfNumbers, at), text.size());
}

// Copies from the "{" of inputResponses to behind its "}", without the answers.
std::size_t copy_responses(std::string_view text, std::size_t at, const Fingerprints& fingerprints, std::string& out) {
  std::size_t depth = 0;
  bool in_content = false;
  while (at < text.size()) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (c == '"') {
      end = after_string(text, at);
      const std::string_view quoted = text.substr(at, end - at);
      const std::size_t colon = after_blanks(text, end);
      const bool is_name = colon < text.size() && text[colon] == ':';
      if (is_name && depth == kOfOneResponse) in_content = quoted == kContent;
      if (!is_name && in_content) {
        out += '"' + fingerprints.mark("answer", quoted) + '"';
        at = end;
        continue;
      }
    } else if (in_content && (c == '-' || (c >= '0' && c <= '9'))) {
      end = after_number(text, at);
      out += '"' + fingerprints.mark("answer", text.substr(at, end - at)) + '"';
      at = end;
      continue;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
      if (depth < kOfOneResponse) in_content = false;
    }
    out.append(text, at, end - at);
    at = end;
    if (depth == 0) return at;
  }
  return at;
}

}  // namespace

std::string without_answers(std::string_view text, const Fingerprints& fingerprints) {
  std::string out;
  out.reserve(text.size());
  std::size_t copied = 0;
  for (std::size_t found = text.find(kMember); found != std::string_view::npos; found = text.find(kMember, copied)) {
    std::size_t at = after_blanks(text, found + kMember.size());
    if (at < text.size() && text[at] == ':') at = after_blanks(text, at + 1);
    out.append(text, copied, at - copied);
    copied = at;
    if (at < text.size() && text[at] == '{') copied = copy_responses(text, at, fingerprints, out);
  }
  out.append(text, copied, text.size() - copied);
  return out;
}

}  // namespace postern
