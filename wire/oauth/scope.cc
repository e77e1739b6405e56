#include "wire/oauth/scope.h"

#include <algorithm>

namespace postern {
namespace {

// scope-token of RFC 6749 section 3.3.
bool is_scope_character(char c) {
  return c == 0x21 || (c >= 0x23 && c <= 0x5B) || (c >= 0x5D && c <= 0x7E);
}

}  // namespace

std::optional<ScopeSet> ScopeSet::parse(std::string_view text) {
  ScopeSet scopes;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view token = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (token.empty()) continue;
    if (!std::all_of(token.begin(), token.end(), is_scope_character)) return std::nullopt;
    scopes.tokens_.emplace(token);
  }
  return scopes;
}

bool ScopeSet::contains_all(const ScopeSet& other) const {
  return std::includes(tokens_.begin(), tokens_.end(), other.tokens_.begin(), other.tokens_.end());
}

ScopeSet ScopeSet::join(const ScopeSet& other) const {
  ScopeSet joined = *this;
  joined.tokens_.insert(other.tokens_.begin(), other.tokens_.end());
  return joined;
}

ScopeSet ScopeSet::without(const ScopeSet& other) const {
  ScopeSet rest = *this;
  for (const std::string& token : other.tokens_) rest.tokens_.erase(token);
  return rest;
}

ScopeSet ScopeSet::intersect(const ScopeSet& other) const {
  return without(without(other));
}

std::string ScopeSet::text() const {
  std::string out;
  for (const std::string& token : tokens_) {
    if (!out.empty()) out += ' ';
    out += token;
  }
  return out;
}

}  // namespace postern
