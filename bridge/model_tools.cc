#include "bridge/model_tools.h"

#include <algorithm>

#include "bridge/tool_names.h"
#include "wire/base/visible_text.h"
#include "wire/mcp/headers.h"

namespace postern::bridge {
namespace {

// The one rule by which a served schema becomes the shown one: the bound arguments are taken out of `properties` and
// `required`.
Json shown_schema(const Json& served, const std::set<std::string, std::less<>>& bound) {
  Json shown = served;
  if (Json* properties = shown.find("properties")) {
    for (const std::string& argument : bound) properties->erase(argument);
  }
  if (const Json* required = served.find("required")) {
    Json kept = Json::array();
    for (const Json& name : required->elements()) {
      if (name.string() == nullptr || !bound.contains(*name.string())) kept.push(name);
    }
    shown.set("required", std::move(kept));
  }
  return shown;
}

// Text that a person cannot see has no place in what a reviewer has read.
bool has_hidden_text(const mcp::Tool& tool) {
  return make_visible(tool.definition.dump()).hidden > 0;
}

// A model API refuses a whole request for one such tool, so the tool alone is left out. Empty: there is none.
std::string_view alternatives_at_root(const Json& schema) {
  for (const std::string_view keyword : {"allOf", "anyOf", "oneOf"}) {
    if (schema.has(keyword)) return keyword;
  }
  return {};
}

}  // namespace

ModelTools::ModelTools(const std::vector<pins::PinnedTool>& tools, ToolBinding binding) : binding_(std::move(binding)) {
  for (const pins::PinnedTool& pinned : tools) {
    const mcp::Tool& tool = pinned.tool();
    if (binding_.host_only.contains(tool.name)) continue;
    const auto leave_out = [&](std::string reason) {
      unusable_.emplace_back(tool.name, ToolUnusable{tool.name, std::move(reason)});
    };
    std::string name = qualified_tool_name(binding_.server, tool.name);
    if (!is_model_tool_name(name)) {
      leave_out("a model cannot call a tool of that name");
      continue;
    }
    if (has_hidden_text(tool)) {
      leave_out("its definition holds characters that cannot be seen");
      continue;
    }
    // basic/transports/streamable-http, "Custom Headers": over stdio the annotations mean nothing.
    if (const auto headers = mcp::param_headers_of(tool.input_schema); !headers && binding_.mirrors_parameters) {
      leave_out(headers.error().text());
      continue;
    }
    if (const std::string_view keyword = alternatives_at_root(tool.input_schema); !keyword.empty()) {
      leave_out("no model API takes " + std::string(keyword) + " at the root of a schema");
      continue;
    }
    Json shown = shown_schema(tool.input_schema, binding_.bound_arguments);
    Result<Schema> schema = Schema::compile(shown);
    if (!schema) {
      leave_out(schema.error().text());
      continue;
    }
    schemas_.emplace(name, *std::move(schema));
    shown_.push_back(ModelTool(std::move(name), tool.name, tool.description.value_or(""), std::move(shown)));
  }
}

const ModelTool* ModelTools::find(std::string_view name) const {
  const auto found =
      std::find_if(shown_.begin(), shown_.end(), [&](const ModelTool& tool) { return tool.name() == name; });
  return found == shown_.end() ? nullptr : &*found;
}

Status ModelTools::check_arguments(std::string_view tool, const Json& arguments) const {
  const auto schema = schemas_.find(tool);
  if (schema == schemas_.end()) return ToolUnusable{std::string(tool), "it was not shown to the model"};
  return schema->second.validate(arguments);
}

std::string ToolUnusable::text() const {
  return "The tool " + visible_line(tool, 80) + " is left out: " + reason + ".";
}

}  // namespace postern::bridge
