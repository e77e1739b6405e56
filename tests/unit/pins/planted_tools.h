// Tools for the tests of the pins.
#pragma once

#include <string>
#include <utility>

#include "pins/pin_file.h"
#include "wire/mcp/codec.h"
#include "wire/mcp/types.h"

namespace postern::pins::planted {

inline Json definition_of_tool(std::string name, std::string description) {
  Json schema = Json::object({{"type", "object"}, {"properties", Json::object()}});
  Json definition = Json::object({{"name", std::move(name)}, {"title", "A title"}});
  return definition.set("description", std::move(description)).set("inputSchema", schema).set("outputSchema", schema);
}

inline mcp::Tool tool_of(const Json& definition) {
  return *mcp::read_tool(definition);
}

inline mcp::Tool tool(std::string name = "get_tracking", std::string description = "Read the carrier's page.") {
  return tool_of(definition_of_tool(std::move(name), std::move(description)));
}

inline PinFile file_of(const std::vector<mcp::Tool>& tools) {
  PinFile file;
  file.server_name = "support-desk";
  file.reviewer = "Morgan Ellis";
  file.reviewed_at = "2026-11-12";
  for (const mcp::Tool& one : tools) file.tools.push_back({pin_of(one), one.definition});
  return file;
}

}  // namespace postern::pins::planted
