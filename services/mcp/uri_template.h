// URI templates of level 1: literal text and {variable} (RFC 6570), matched backwards from a URI.
//
// A variable stands for one or more characters without "/", percent-decoded; a value that then holds "/", a control
// character or is "." or ".." matches nothing, so that no handler sees a path in it. Immutable, thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postern::mcp {

// A scheme, a colon and something behind it, in visible ASCII (RFC 3986 section 3).
[[nodiscard]] bool is_absolute_uri(std::string_view text);

class UriTemplate {
 public:
  // Nothing when it is not of level 1, holds a variable twice, or two variables with nothing between them.
  [[nodiscard]] static std::optional<UriTemplate> parse(std::string_view text);
  // The variables, or nothing when the URI is not of this form.
  [[nodiscard]] std::optional<std::map<std::string, std::string>> match(std::string_view uri) const;
  [[nodiscard]] const std::vector<std::string>& variables() const { return variables_; }

 private:
  UriTemplate() = default;
  std::vector<std::string> literals_;  // one more than the variables; the first and the last may be empty
  std::vector<std::string> variables_;
};

}  // namespace postern::mcp
