// A row of the table of tools with its schemas compiled, as the core uses it. Made by Server::make() only.
#pragma once

#include <optional>
#include <vector>

#include "services/mcp/server_features.h"
#include "wire/base/result.h"
#include "wire/mcp/headers.h"
#include "wire/schema/schema.h"

namespace postern::mcp {

class CompiledTool {
 public:
  // `mcp.bad_features` when the name, a schema or a header annotation is not what the revision demands.
  [[nodiscard]] static Result<CompiledTool> of_row(ToolRow row);
  [[nodiscard]] const ToolRow& row() const { return row_; }
  [[nodiscard]] const std::string& name() const { return row_.tool.name; }
  [[nodiscard]] const std::vector<ParamHeader>& param_headers() const { return param_headers_; }
  // `mcp.arguments_invalid`
  [[nodiscard]] Status check_arguments(const Json& arguments) const;
  // `mcp.output_invalid`
  [[nodiscard]] Status check_result(const CallToolResult& result) const;

 private:
  CompiledTool(ToolRow row, Schema input) : row_(std::move(row)), input_(std::move(input)) {}
  ToolRow row_;
  Schema input_;
  std::optional<Schema> output_;
  std::vector<ParamHeader> param_headers_;
};

}  // namespace postern::mcp
