// Every occurrence of a text by another. For secrets that a peer quotes: what they stand in is not parsed, so the mark
// must be harmless wherever a string of JSON may hold it. Linear.
#pragma once

#include <string>
#include <string_view>

namespace postern {

// Nothing happens when `what` is empty. What was put in is not looked at again.
inline void replace_all(std::string& text, std::string_view what, std::string_view with) {
  if (what.empty()) return;
  std::size_t at = text.find(what);
  if (at == std::string::npos) return;
  std::string out;
  std::size_t kept = 0;
  for (; at != std::string::npos; at = text.find(what, kept)) {
    out.append(text, kept, at - kept).append(with);
    kept = at + what.size();
  }
  text = out.append(text, kept);
}

}  // namespace postern
