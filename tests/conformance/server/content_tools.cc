#include "tests/conformance/server/fixtures.h"
#include "tests/conformance/server/tools.h"
#include "wire/mcp/codec.h"

namespace postern::conformance {
namespace {

constexpr std::string_view kRegion =
    R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}})";

// Every keyword in it must come out of tools/list as it went in.
constexpr std::string_view kManyKeywords = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {"address": {"$anchor": "addressDef", "type": "object",
                        "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
  "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
                 "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                 "phone": {"type": "string"}, "email": {"type": "string"}},
  "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
  "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
  "then": {"required": ["phone"]},
  "else": {"required": ["email"]},
  "additionalProperties": false
})";

mcp::ToolRow progressing() {
  mcp::ToolRow row =
      tool("test_tool_with_progress", "Tells of its progress three times", kNoArguments,
           [](const mcp::ToolCall& call) -> Outcome {
             constexpr double kTotal = 100;
             constexpr std::chrono::milliseconds kStep{50};
             for (const double progress : {0.0, 50.0, 100.0}) {
               call.notifications.progress(progress, kTotal);
               wait(call.stop, kStep);  // behind the last too: some clients drop what comes with the answer
             }
             return text_result("Done.");
           });
  row.lane = mcp::Lane::kBlocking;
  row.notifies = true;
  return row;
}

mcp::ToolRow logging() {
  mcp::ToolRow row = tool("test_logging_tool", "Sends a log message to whoever asked for them", kNoArguments,
                          [](const mcp::ToolCall& call) -> Outcome {
                            call.notifications.log(mcp::LogSeverity::kInfo, "conformance", "The tool runs.");
                            return text_result("Done.");
                          });
  row.lane = mcp::Lane::kBlocking;
  row.notifies = true;
  return row;
}

mcp::ToolRow missing_capability() {
  mcp::ToolRow row = tool("test_missing_capability", "Needs a client that declares sampling", kNoArguments,
                          [](const mcp::ToolCall&) { return text_result("The client declared it."); });
  row.client_capabilities = json_of(R"({"sampling":{}})");
  return row;
}

}  // namespace

std::vector<mcp::ToolRow> content_tools() {
  std::vector<mcp::ToolRow> rows = {
      tool("test_x_mcp_header", "Has a parameter that a header mirrors", kRegion,
           [](const mcp::ToolCall& call) {
             return text_result("region: " + std::string(call.arguments.string_at("region")));
           }),
      tool("test_simple_text", "Gives a text", kNoArguments,
           [](const mcp::ToolCall&) { return text_result("This is a simple text response for testing."); }),
      tool("test_image_content", "Gives an image", kNoArguments,
           [](const mcp::ToolCall&) { return content_result({image_block()}); }),
      tool("test_audio_content", "Gives a sound", kNoArguments,
           [](const mcp::ToolCall&) { return content_result({audio_block()}); }),
      tool("test_embedded_resource", "Gives a resource", kNoArguments,
           [](const mcp::ToolCall&) {
             return content_result(
                 {resource_block("test://embedded-resource", "text/plain", "The text of an embedded resource.")});
           }),
      tool("test_multiple_content_types", "Gives a text, an image and a resource", kNoArguments,
           [](const mcp::ToolCall&) {
             return content_result({mcp::text_block("Three kinds of content:"), image_block(),
                                    resource_block("test://mixed-content-resource", "application/json",
                                                   R"({"test":"data","value":123})")});
           }),
      tool("test_error_handling", "Fails as a tool does", kNoArguments,
           [](const mcp::ToolCall&) { return text_result("This tool fails on purpose.", true); }),
      progressing(),
      tool("json_schema_2020_12_tool", "Has a schema of many keywords", kManyKeywords,
           [](const mcp::ToolCall& call) { return text_result(call.arguments.dump()); }),
      missing_capability(),
      tool("test_streaming_elicitation", "Sends no request to the client", kNoArguments,
           [](const mcp::ToolCall&) { return text_result("Nothing was asked."); }),
      logging(),
  };
  // They change nothing, and say so: the older-era block offers no others.
  for (mcp::ToolRow& row : rows) row.tool.definition.set("annotations", Json::object({{"readOnlyHint", true}}));
  return rows;
}

}  // namespace postern::conformance
