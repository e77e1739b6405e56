// Short ways to write the fixtures of the conformance server, and what a client answered in an earlier round.
//
// The fixtures are those that the conformance suite calls by name (modelcontextprotocol/conformance, "Server
// Implementation Requirements" of each scenario). Without state, thread-safe.
#pragma once

#include <chrono>
#include <initializer_list>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "services/mcp/server_features.h"
#include "wire/base/failure.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::conformance {

using Outcome = Result<mcp::CallToolOutcome>;

// REQUIRES JSON text.
[[nodiscard]] Json json_of(std::string_view text);

inline constexpr std::string_view kNoArguments = R"({"type":"object","properties":{}})";
// `input_schema` is JSON text.
[[nodiscard]] mcp::ToolRow tool(std::string_view name, std::string_view description, std::string_view input_schema,
                                mcp::ToolHandler handler);

[[nodiscard]] Outcome text_result(std::string_view text, bool is_error = false);
[[nodiscard]] Outcome content_result(std::initializer_list<Json> blocks);
[[nodiscard]] Json image_block();
[[nodiscard]] Json audio_block();
[[nodiscard]] Json resource_block(std::string_view uri, std::string_view mime_type, std::string_view text);
// The image of image_block(), as base64.
[[nodiscard]] std::string_view image_base64();

// A form with one required property.
[[nodiscard]] mcp::InputRequest form(std::string key, std::string_view message, std::string property,
                                     std::string_view type);
[[nodiscard]] mcp::InputRequest sampling(std::string key, std::string_view message);
[[nodiscard]] mcp::InputRequest roots(std::string key);

// The response to that key, or null.
[[nodiscard]] const Json* response(const std::vector<mcp::InputResponse>& responses, std::string_view key);
// The content of a form that was accepted; null for anything else, which counts as no answer.
[[nodiscard]] const Json* accepted(const Json* response);
// The string of that name in it, or null.
[[nodiscard]] const std::string* accepted_string(const Json* response, std::string_view property);

// Waits, at most until the token fires. True when the time went by.
bool wait(const std::stop_token& stop, std::chrono::milliseconds time);

// What a fixture breaks on purpose.
struct FixtureBroken {
  static constexpr std::string_view kId = "conformance.fixture_broken";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  [[nodiscard]] std::string text() const { return "This fixture fails on purpose."; }
};

}  // namespace postern::conformance
