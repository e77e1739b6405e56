#include "services/mcp_older_era/older_words.h"

#include <string>
#include <vector>

#include "wire/mcp/codec.h"
#include "wire/mcp/types.h"

namespace postern::mcp {
namespace {

// A prefix whose second label is "modelcontextprotocol" or "mcp" (basic, "_meta").
bool is_reserved(std::string_view key) {
  const std::string_view prefix = key.substr(0, key.find('/'));
  const std::size_t dot = prefix.find('.');
  if (prefix.size() == key.size() || dot == prefix.npos) return false;
  const std::string_view rest = prefix.substr(dot + 1);
  const std::string_view second = rest.substr(0, rest.find('.'));
  return second == "modelcontextprotocol" || second == "mcp";
}

// `properties` maps names to objects there: true is {}, and false is {"not": {}}.
void make_properties_objects(Json& schema) {
  const Json* properties = schema.find("properties");
  if (properties == nullptr) return;
  Json objects = Json::object();
  for (const auto& [name, property] : properties->members()) {
    if (const auto allowed = property.boolean()) {
      objects.append_member(name, *allowed ? Json::object() : Json::object({{"not", Json::object()}}));
    } else {
      objects.append_member(name, property);
    }
  }
  schema.set("properties", std::move(objects));
}

}  // namespace

bool is_offered_to_older_era(const ToolRow& row) {
  const Json* annotations = row.tool.definition.find("annotations");
  const bool only_reads = annotations != nullptr && annotations->boolean_at("readOnlyHint").value_or(false);
  return only_reads && row.client_capabilities.is_null();
}

Json initialize_result(const Json& discovered, std::string_view version) {
  const Json* capabilities = discovered.find("capabilities");
  const bool has_tools = capabilities != nullptr && capabilities->has("tools");
  const Json* meta = discovered.find("_meta");
  const Json* server_info = meta == nullptr ? nullptr : meta->find(kMetaServerInfo);
  Json result = Json::object({{"protocolVersion", version},
                              {"capabilities", has_tools ? Json::object({{"tools", Json::object()}}) : Json::object()},
                              {"serverInfo", server_info == nullptr ? Json::object() : *server_info}});
  if (const Json* instructions = discovered.find("instructions")) result.append_member("instructions", *instructions);
  return result;
}

Json older_tool(Json definition) {
  if (Json* input = definition.find("inputSchema")) make_properties_objects(*input);
  if (Json* output = definition.find("outputSchema")) {
    make_properties_objects(*output);
    if (output->string_at("type") != "object") definition.erase("outputSchema");
  }
  return definition;
}

Json older_call_result(Json result) {
  if (result.string_at("resultType") != "complete") {
    const char* text =
        "The tool asked for more input while it ran. This server takes such input from clients of MCP 2026-07-28 only: "
        "use one of those for this tool.";
    return Json::object({{"content", Json::array({text_block(text)})}, {"isError", true}});
  }
  const Json* structured = result.find("structuredContent");
  if (structured != nullptr && !structured->is_object()) result.erase("structuredContent");
  strip_newer_members(result);
  return result;
}

void strip_newer_members(Json& result) {
  for (const char* name : {"resultType", "ttlMs", "cacheScope"}) result.erase(name);
  Json* meta = result.find("_meta");
  if (meta == nullptr) return;
  std::vector<std::string> reserved;
  for (const auto& [key, value] : meta->members()) {
    if (is_reserved(key)) reserved.push_back(key);
  }
  for (const std::string& key : reserved) meta->erase(key);
  if (meta->size() == 0) result.erase("_meta");
}

}  // namespace postern::mcp
