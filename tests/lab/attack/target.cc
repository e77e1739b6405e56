#include "tests/lab/attack/target.h"

namespace postern::lab {

std::string ToolNames::tool(std::string_view name) const {
  const Json* row = table_.find(name);
  if (row == nullptr) return std::string(name);
  if (row->is_null()) return {};
  const std::string_view own = row->string_at("name");
  return std::string(own.empty() ? name : own);
}

bool ToolNames::takes(std::string_view tool, std::string_view argument) const {
  const Json* row = table_.find(tool);
  const Json* names = row == nullptr ? nullptr : row->find("arguments");
  const Json* own = names == nullptr ? nullptr : names->find(argument);
  return own == nullptr || !own->is_null();
}

Json ToolNames::arguments(std::string_view tool, const Json& arguments) const {
  const Json* row = table_.find(tool);
  const Json* names = row == nullptr ? nullptr : row->find("arguments");
  if (names == nullptr) return arguments;
  Json out = Json::object();
  for (const auto& [name, value] : arguments.members()) {
    const Json* own = names->find(name);
    if (own == nullptr) {
      out.set(name, value);
    } else if (const std::string* text = own->string()) {
      out.set(*text, value);
    }
  }
  return out;
}

}  // namespace postern::lab
