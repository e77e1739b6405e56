#include "tests/conformance/server/fixtures.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "wire/base/check.h"
#include "wire/mcp/codec.h"

namespace postern::conformance {
namespace {

// One transparent pixel, and a wave file without a sample.
constexpr std::string_view kPng =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";
constexpr std::string_view kWave = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

}  // namespace

Json json_of(std::string_view text) {
  auto json = parse_json(text);
  POSTERN_CHECK(json.has_value());
  return *std::move(json);
}

mcp::ToolRow tool(std::string_view name, std::string_view description, std::string_view input_schema,
                  mcp::ToolHandler handler) {
  const Json definition =
      Json::object({{"name", name}, {"description", description}, {"inputSchema", json_of(input_schema)}});
  auto read = mcp::read_tool(definition);
  POSTERN_CHECK(read.has_value());
  mcp::ToolRow row;
  row.tool = *std::move(read);
  row.handler = std::move(handler);
  return row;
}

Outcome text_result(std::string_view text, bool is_error) {
  return mcp::CallToolOutcome(mcp::CallToolResult{Json::array({mcp::text_block(text)}), std::nullopt, is_error});
}

Outcome content_result(std::initializer_list<Json> blocks) {
  return mcp::CallToolOutcome(mcp::CallToolResult{Json::array(blocks), std::nullopt, false});
}

std::string_view image_base64() {
  return kPng;
}

Json image_block() {
  return Json::object({{"type", "image"}, {"data", kPng}, {"mimeType", "image/png"}});
}

Json audio_block() {
  return Json::object({{"type", "audio"}, {"data", kWave}, {"mimeType", "audio/wav"}});
}

Json resource_block(std::string_view uri, std::string_view mime_type, std::string_view text) {
  return Json::object(
      {{"type", "resource"}, {"resource", Json::object({{"uri", uri}, {"mimeType", mime_type}, {"text", text}})}});
}

mcp::InputRequest form(std::string key, std::string_view message, std::string property, std::string_view type) {
  Json schema = Json::object({{"type", "object"}});
  schema.set("required", Json::array({property}));
  schema.set("properties", Json::object({{std::move(property), Json::object({{"type", type}})}}));
  return {std::move(key), "elicitation/create",
          Json::object({{"message", message}, {"requestedSchema", std::move(schema)}})};
}

mcp::InputRequest sampling(std::string key, std::string_view message) {
  constexpr int kTokensMax = 100;
  const Json question = Json::object({{"role", "user"}, {"content", mcp::text_block(message)}});
  return {std::move(key), "sampling/createMessage",
          Json::object({{"messages", Json::array({question})}, {"maxTokens", kTokensMax}})};
}

mcp::InputRequest roots(std::string key) {
  return {std::move(key), "roots/list", Json::object()};
}

const Json* response(const std::vector<mcp::InputResponse>& responses, std::string_view key) {
  for (const mcp::InputResponse& one : responses) {
    if (one.key == key) return &one.response;
  }
  return nullptr;
}

const Json* accepted(const Json* response) {
  if (response == nullptr || response->string_at("action") != "accept") return nullptr;
  const Json* content = response->find("content");
  return content != nullptr && content->is_object() ? content : nullptr;
}

const std::string* accepted_string(const Json* response, std::string_view property) {
  const Json* content = accepted(response);
  const Json* value = content == nullptr ? nullptr : content->find(property);
  return value == nullptr ? nullptr : value->string();
}

bool wait(const std::stop_token& stop, std::chrono::milliseconds time) {
  std::mutex mutex;
  std::condition_variable_any told;
  std::unique_lock lock(mutex);
  told.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace postern::conformance
