#include "bridge/result_validator.h"

#include "wire/base/visible_text.h"

namespace postern::bridge {
namespace {

constexpr std::size_t kDataBytesMax = 256 * 1024;

// The text blocks, joined by line feeds; or why the content is refused.
Result<std::string> text_of_content(std::string_view tool, const Json& content) {
  std::string joined;
  for (const Json& block : content.elements()) {
    const std::string_view type = block.string_at("type");
    if (type != "text") {
      return ContentRefused{std::string(tool),
                            "a block of the type " + visible_line(type, 40) + " is not shown to a model"};
    }
    if (!joined.empty()) joined += '\n';
    joined += block.string_at("text");
  }
  return joined;
}

}  // namespace

ResultValidator::ResultValidator(const std::vector<pins::PinnedTool>& tools) {
  for (const pins::PinnedTool& tool : tools) {
    if (!tool.tool().output_schema) continue;
    Result<Schema> schema = Schema::compile(*tool.tool().output_schema);
    if (schema) {
      output_schemas_.emplace(tool.name(), *std::move(schema));
    } else {
      unusable_.emplace_back(tool.name(), schema.error());
    }
  }
}

Result<ValidatedResult> ResultValidator::validate(std::string_view tool, const mcp::CallToolResult& result) const {
  POSTERN_TRY(std::string data, text_of_content(tool, result.content));
  Json structured;
  const auto schema = output_schemas_.find(tool);
  if (result.structured_content) structured = *result.structured_content;
  if (!result.is_error && schema != output_schemas_.end()) {
    // server/tools, "Output Schema": with an outputSchema there must be structured content, and it must conform.
    if (!result.structured_content) return OutputInvalid{std::string(tool), "there is no structured content"};
    const Status valid = schema->second.validate(structured);
    if (!valid) return OutputInvalid{std::string(tool), valid.error().text()};
  }
  if (!result.is_error && result.structured_content) data = structured.dump();
  if (data.size() > kDataBytesMax) return ContentRefused{std::string(tool), "it is longer than 262144 bytes"};
  if (data.empty())
    data = result.is_error ? "The tool reported an error without a text." : "The tool gave an empty result.";
  return ValidatedResult(std::string(tool), std::move(data), std::move(structured), result.is_error);
}

std::string OutputInvalid::text() const {
  return "Output validation error: Invalid structured content for tool " + visible_line(tool, 80) + ": " + reason;
}

std::string ContentRefused::text() const {
  return "The result of " + visible_line(tool, 80) + " is withheld from the model: " + reason + ".";
}

}  // namespace postern::bridge
