#include "bridge/older_era.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "wire/mcp/codec.h"

namespace postern::bridge {

bool is_older_version(std::string_view version) {
  constexpr std::string_view kSpoken[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
  return std::find(std::begin(kSpoken), std::end(kSpoken), version) != std::end(kSpoken);
}

Json initialize_params(const mcp::Implementation& client) {
  return Json::object({{"protocolVersion", kOlderVersion},
                       {"capabilities", Json::object()},
                       {"clientInfo", Json::object({{"name", client.name}, {"version", client.version}})}});
}

Result<mcp::DiscoverResult> read_initialize_result(const Json& result) {
  const std::string version(result.string_at("protocolVersion"));
  if (version.empty()) return mcp::MalformedResult{"result.protocolVersion", "a string that is not empty"};
  const Json* capabilities = result.find("capabilities");
  if (capabilities == nullptr || !capabilities->is_object())
    return mcp::MalformedResult{"result.capabilities", "an object"};
  mcp::DiscoverResult read;
  read.supported_versions = {version};
  read.capabilities = *capabilities;
  if (const Json* instructions = result.find("instructions"); instructions != nullptr && instructions->is_string())
    read.instructions = *instructions->string();
  // It stands in the body here, and in _meta in the newer era.
  const Json* info = result.find("serverInfo");
  if (info != nullptr && info->find("name") != nullptr && info->find("name")->is_string())
    read.server_info =
        mcp::Implementation{std::string(info->string_at("name")), std::string(info->string_at("version"))};
  return read;
}

Json older_params(Json params, const Json& meta) {
  if (!params.is_object()) params = Json::object();
  for (const char* name : {"_meta", "inputResponses", "requestState"}) params.erase(name);
  if (meta.size() > 0) params.append_member("_meta", meta);
  return params;
}

}  // namespace postern::bridge
