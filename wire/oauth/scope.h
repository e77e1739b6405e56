// OAuth scopes (RFC 6749 section 3.3).
#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace postern {

// A set of scope tokens. Written in a stable order: "desk:read refunds:write".
class ScopeSet {
 public:
  ScopeSet() = default;
  ScopeSet(std::initializer_list<std::string_view> tokens) : tokens_(tokens.begin(), tokens.end()) {}
  // Nothing when a token holds a character that RFC 6749 does not allow. Blanks separate; repeats count once.
  [[nodiscard]] static std::optional<ScopeSet> parse(std::string_view text);

  [[nodiscard]] bool contains(std::string_view token) const {
    return tokens_.find(std::string(token)) != tokens_.end();
  }
  [[nodiscard]] bool contains_all(const ScopeSet& other) const;
  [[nodiscard]] ScopeSet join(const ScopeSet& other) const;
  [[nodiscard]] ScopeSet without(const ScopeSet& other) const;
  [[nodiscard]] ScopeSet intersect(const ScopeSet& other) const;
  [[nodiscard]] bool empty() const { return tokens_.empty(); }
  [[nodiscard]] const std::set<std::string>& tokens() const { return tokens_; }
  [[nodiscard]] std::string text() const;  // separated by one blank
  friend bool operator==(const ScopeSet& a, const ScopeSet& b) = default;

 private:
  std::set<std::string> tokens_;
};

}  // namespace postern
