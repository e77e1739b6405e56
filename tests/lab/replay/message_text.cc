#include "tests/lab/replay/message_text.h"

namespace postern::lab {

std::string head_bytes(const Json& line, const std::function<std::string(std::string_view)>& fill) {
  const std::string_view start = line.string_at("start");
  if (start.empty()) return {};
  std::string bytes = fill(start) + "\r\n";
  if (const Json* headers = line.find("headers")) {
    for (const Json& header : headers->elements()) {
      const Json::Array& pair = header.elements();
      if (pair.size() != 2 || pair[0].string() == nullptr || pair[1].string() == nullptr) continue;
      bytes += fill(*pair[0].string()) + ": " + fill(*pair[1].string()) + "\r\n";
    }
  }
  return bytes + "\r\n";
}

std::string_view header_of(const Json& line, std::string_view name) {
  const Json* headers = line.find("headers");
  if (headers == nullptr) return {};
  for (const Json& header : headers->elements()) {
    const Json::Array& pair = header.elements();
    if (pair.size() == 2 && pair[0].string() != nullptr && *pair[0].string() == name && pair[1].string() != nullptr)
      return *pair[1].string();
  }
  return {};
}

bool is_chunked(const Json& line) {
  return header_of(line, "transfer-encoding").find("hunked") != std::string_view::npos;
}

}  // namespace postern::lab
