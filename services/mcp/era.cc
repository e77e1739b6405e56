#include "services/mcp/era.h"

#include <algorithm>
#include <iterator>

#include "services/mcp/failures.h"
#include "wire/mcp/types.h"

namespace postern::mcp {
namespace {

constexpr std::string_view kOlderVersions[] = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};

}  // namespace

Status check_era(std::string_view method, const Json& params, const std::string* version_header) {
  const Json* meta = params.find("_meta");
  if (meta != nullptr && meta->has(kMetaProtocolVersion)) return {};
  if (method == "initialize") return UnsupportedVersion{std::string(params.string_at("protocolVersion"))};
  if (version_header == nullptr) return {};
  const bool older =
      std::find(std::begin(kOlderVersions), std::end(kOlderVersions), *version_header) != std::end(kOlderVersions);
  if (older) return UnsupportedVersion{*version_header};
  return {};
}

}  // namespace postern::mcp
