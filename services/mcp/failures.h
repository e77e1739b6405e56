// Why a request to an MCP server is not served (MCP 2026-07-28 basic, "Error codes").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/failure.h"
#include "wire/base/json.h"

namespace postern::mcp {

struct UnsupportedVersion {
  static constexpr std::string_view kId = "mcp.unsupported_version";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kUnsupportedVersion;
  std::string requested;               // echoed in the error's data; empty when the request named none
  std::vector<std::string> supported;  // in the error's data; empty: this revision alone
  [[nodiscard]] std::string text() const;
};
// Unknown, or of a feature that this server does not offer.
struct UnknownMethod {
  static constexpr std::string_view kId = "mcp.unknown_method";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kMethodNotFound;
  std::string method;  // made visible
  [[nodiscard]] std::string text() const;
};
struct UnknownTool {
  static constexpr std::string_view kId = "mcp.unknown_tool";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kInvalidParams;
  std::string name;  // made visible
  [[nodiscard]] std::string text() const;
};
struct UnknownPrompt {
  static constexpr std::string_view kId = "mcp.unknown_prompt";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kInvalidParams;
  std::string name;  // made visible
  [[nodiscard]] std::string text() const;
};
// Also one that the caller may not read, so that nobody learns what exists (server/resources, "Error handling").
struct ResourceNotFound {
  static constexpr std::string_view kId = "mcp.resource_not_found";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kInvalidParams;
  std::string uri;  // as it came: it goes back in the error's data
  [[nodiscard]] std::string text() const;
};
struct UnknownCursor {
  static constexpr std::string_view kId = "mcp.unknown_cursor";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kInvalidParams;
  [[nodiscard]] std::string text() const;
};
struct MissingClientCapability {
  static constexpr std::string_view kId = "mcp.missing_client_capability";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kMissingCapability;
  Json required;  // a ClientCapabilities object, whole
  [[nodiscard]] std::string text() const;
};
// The arguments are not what the tool's input schema says: something that a model can mend.
struct ArgumentsInvalid {
  static constexpr std::string_view kId = "mcp.arguments_invalid";
  static constexpr Layer kLayer = Layer::kSchema;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string tool;
  std::string reason;  // path and expectation, of the validator
  [[nodiscard]] std::string text() const;
};
// A mistake of this server: its tool gave something else than its output schema says. Nothing of it is sent.
struct OutputInvalid {
  static constexpr std::string_view kId = "mcp.output_invalid";
  static constexpr Layer kLayer = Layer::kSchema;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  std::string tool;
  std::string reason;
  [[nodiscard]] std::string text() const;
};
// The handler was still at work at its deadline, and was stopped.
struct OutOfTime {
  static constexpr std::string_view kId = "mcp.out_of_time";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string what;  // the tool's name, made visible
  std::int64_t after_ms = 0;
  bool may_have_acted = true;  // false: it only reads
  [[nodiscard]] std::string text() const;
};
struct TooManySubscriptions {
  static constexpr std::string_view kId = "mcp.too_many_subscriptions";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kTooManyRequests;
  // For Retry-After. They end with their clients and tokens, which nobody here can foresee: often enough for somebody
  // who waits, and no load from a thousand who do.
  static constexpr std::int64_t kRetryAfterSeconds = 30;
  std::size_t most = 0;
  [[nodiscard]] std::string text() const;
};
// The server ends: nothing that lasts is begun any more.
struct Stopping {
  static constexpr std::string_view kId = "mcp.stopping";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUnavailable;
  static constexpr std::int64_t kRetryAfterSeconds = 5;  // until another process answers
  [[nodiscard]] std::string text() const;
};
// A mistake of this server: its handler asked for input in a form that the revision does not have.
struct BadInputRequest {
  static constexpr std::string_view kId = "mcp.bad_input_request";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  std::string reason;
  [[nodiscard]] std::string text() const;
};
// Not a state of this server, or not for this request.
struct RequestStateRefused {
  static constexpr std::string_view kId = "mcp.request_state_refused";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kInvalidParams;
  std::string_view check;  // of product_state_checks(), or "form" or "seal"
  [[nodiscard]] std::string text() const;
};
struct BadKeyRing {
  static constexpr std::string_view kId = "own.bad_key_ring";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string path;
  std::string reason;
  [[nodiscard]] std::string text() const;
};
// A handler that was called on a thread that must not wait, and has to: it is called again in the blocking lane.
struct LaneNeeded {
  static constexpr std::string_view kId = "mcp.lane_needed";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUnavailable;
  [[nodiscard]] std::string text() const;
};
// The tables that a server handed in are not fit to be served. Found when the server is made.
struct BadFeatures {
  static constexpr std::string_view kId = "mcp.bad_features";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  std::string what;  // the tool's name
  std::string reason;
  [[nodiscard]] std::string text() const;
};
struct NotAcceptable {
  static constexpr std::string_view kId = "mcp.not_acceptable";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  [[nodiscard]] std::string text() const;
};
struct NotJson {
  static constexpr std::string_view kId = "mcp.not_json";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kUnsupportedMedia;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::mcp
