#include "services/mcp/compiled_tool.h"

#include <algorithm>

#include "services/mcp/failures.h"
#include "wire/base/visible_text.h"

namespace postern::mcp {
namespace {

constexpr std::size_t kNameCharactersMax = 128;

// 1 to 128 of A-Z a-z 0-9 _ - . (server/tools, "Tool names").
bool is_tool_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  };
  return !name.empty() && name.size() <= kNameCharactersMax && std::all_of(name.begin(), name.end(), allowed);
}

}  // namespace

Result<CompiledTool> CompiledTool::of_row(ToolRow row) {
  const std::string name = visible_line(row.tool.name, kNameCharactersMax);
  if (!is_tool_name(row.tool.name)) return BadFeatures{name, "its name is not 1 to 128 of A-Z a-z 0-9 _ - ."};
  if (row.tool.input_schema.string_at("type") != "object") return BadFeatures{name, "its input schema is no object"};
  if (!row.handler) return BadFeatures{name, "it has no handler"};
  auto input = Schema::compile(row.tool.input_schema);
  if (!input) return BadFeatures{name, input.error().text()};
  auto param_headers = param_headers_of(row.tool.input_schema);
  if (!param_headers) return BadFeatures{name, param_headers.error().text()};
  CompiledTool compiled(std::move(row), *std::move(input));
  compiled.param_headers_ = *std::move(param_headers);
  if (compiled.row_.tool.output_schema) {
    auto output = Schema::compile(*compiled.row_.tool.output_schema);
    if (!output) return BadFeatures{name, output.error().text()};
    compiled.output_ = *std::move(output);
  }
  return compiled;
}

Status CompiledTool::check_arguments(const Json& arguments) const {
  const Status valid = input_.validate(arguments);
  if (valid) return {};
  std::string reason = valid.error().text();
  if (reason.ends_with('.')) reason.pop_back();  // it becomes part of a sentence
  return ArgumentsInvalid{name(), std::move(reason)};
}

Status CompiledTool::check_result(const CallToolResult& result) const {
  if (!output_ || result.is_error) return {};
  if (!result.structured_content) return OutputInvalid{name(), "there is no structured content."};
  const Status valid = output_->validate(*result.structured_content);
  if (!valid) return OutputInvalid{name(), valid.error().text()};
  return {};
}

}  // namespace postern::mcp
