#include "bridge/server_versions.h"

#include <algorithm>

#include "wire/base/visible_text.h"
#include "wire/mcp/types.h"

namespace postern::bridge {

std::vector<std::string> versions_in(const JsonRpcError& error) {
  std::string text = visible_line(error.message, 400);
  if (error.data) text += " " + visible_line(error.data->dump(), 400);
  std::vector<std::string> versions;
  const auto digit = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '9'; };
  for (std::size_t at = 0; at + 10 <= text.size(); ++at) {
    bool date = text[at] == '2' && text[at + 4] == '-' && text[at + 7] == '-';
    for (const std::size_t offset : {1U, 2U, 3U, 5U, 6U, 8U, 9U}) date = date && digit(at + offset);
    if (!date) continue;
    std::string version = text.substr(at, 10);
    const bool known = std::find(versions.begin(), versions.end(), version) != versions.end();
    if (version != mcp::kProtocolVersion && !known) versions.push_back(std::move(version));
    at += 9;
  }
  return versions;
}

bool offers_newest(const JsonRpcError& error) {
  if (error.code != static_cast<std::int64_t>(ErrorCode::kUnsupportedProtocolVersion) || !error.data) return false;
  const Json* supported = error.data->find("supported");
  if (supported == nullptr) return false;
  const auto& elements = supported->elements();
  return std::any_of(elements.begin(), elements.end(), [](const Json& version) {
    return version.string() != nullptr && *version.string() == mcp::kProtocolVersion;
  });
}

bool is_of_newest_era(const JsonRpcError& error) {
  for (const ErrorCode code : {ErrorCode::kHeaderMismatch, ErrorCode::kMissingRequiredClientCapability,
                               ErrorCode::kUnsupportedProtocolVersion}) {
    if (error.code == static_cast<std::int64_t>(code)) return true;
  }
  return false;
}

}  // namespace postern::bridge
