// The answer to whoever wants more than there is. Nothing was done, and the same request may succeed in a moment.
#pragma once

#include <string>
#include <string_view>

#include "wire/http_message/http_message.h"

namespace postern {

inline constexpr std::string_view kLaneFull = "This server is busy. Nothing was done. Try again in a second.\n";
inline constexpr std::string_view kMemoryFull =
    "This server holds too many bytes of requests. Nothing was done. Try again in a second.\n";

// 503: the server has no more; 429: this peer has its share (RFC 6585 section 4). Both with Retry-After (RFC 9110
// section 10.2.3).
[[nodiscard]] inline HttpResponse busy_response(int status, std::string_view text) {
  HttpResponse response = text_response(status, std::string(text));
  response.headers.add("Retry-After", "1");
  return response;
}

}  // namespace postern
