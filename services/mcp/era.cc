#include "services/mcp/era.h"

#include <algorithm>
#include <iterator>

#include "services/mcp/failures.h"
#include "wire/mcp/types.h"

namespace postern::mcp {
namespace {

constexpr std::string_view kOlderVersions[] = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};

bool is_older_version(std::string_view version) {
  return std::find(std::begin(kOlderVersions), std::end(kOlderVersions), version) != std::end(kOlderVersions);
}

}  // namespace

bool is_of_older_era(std::string_view method, const Json& params, const std::string* version_header) {
  const Json* meta = params.find("_meta");
  if (meta != nullptr && meta->has(kMetaProtocolVersion)) return false;
  return method == "initialize" || (version_header != nullptr && is_older_version(*version_header));
}

Status check_era(std::string_view method, const Json& params, const std::string* version_header,
                 const std::vector<std::string>& supported) {
  if (!is_of_older_era(method, params, version_header)) return {};
  std::string requested(params.string_at("protocolVersion"));
  if (method != "initialize" && version_header != nullptr) requested = *version_header;
  return UnsupportedVersion{std::move(requested), supported};
}

}  // namespace postern::mcp
