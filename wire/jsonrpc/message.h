// JSON-RPC 2.0 messages as MCP 2026-07-28 uses them (basic, "Messages"): no batches, ids that are strings or integers,
// results that are objects.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern {

// A string or an integer. Keeps exactly what came, so that it is echoed as it came (9007199254740993 too).
class RequestId {
 public:
  explicit RequestId(std::int64_t number) : value_(Json(number)) {}
  explicit RequestId(std::string text) : value_(Json(std::move(text))) {}
  // Nothing unless the value is a string or an integer.
  [[nodiscard]] static std::optional<RequestId> of_json(const Json& value);
  [[nodiscard]] const Json& json() const { return value_; }
  friend bool operator==(const RequestId& a, const RequestId& b) { return a.value_ == b.value_; }

 private:
  explicit RequestId(Json value) : value_(std::move(value)) {}
  Json value_;
};

struct JsonRpcRequest {
  RequestId id;
  std::string method;
  Json params;  // an object, or null when absent
};

struct JsonRpcNotification {
  std::string method;
  Json params;  // an object, or null when absent
};

struct JsonRpcResult {
  RequestId id;
  Json result;  // an object
};

struct JsonRpcError {
  std::optional<RequestId> id;  // absent when the request's could not be read
  std::int64_t code = 0;
  std::string message;
  std::optional<Json> data;
};

using JsonRpcMessage = std::variant<JsonRpcRequest, JsonRpcNotification, JsonRpcResult, JsonRpcError>;

// Reads one message. Failures: those of parse_json(); jsonrpc.malformed for an array, a wrong version, an id that is
// neither string nor integer, both or neither of result and error, a result that is no object; jsonrpc.malformed_params
// for a request whose params are no object.
[[nodiscard]] Result<JsonRpcMessage> parse_message(std::string_view text, JsonBounds bounds = {});
[[nodiscard]] Result<JsonRpcMessage> read_message(const Json& json);

// One line of JSON text, without a line feed.
[[nodiscard]] std::string serialise(const JsonRpcRequest& message);
[[nodiscard]] std::string serialise(const JsonRpcNotification& message);
[[nodiscard]] std::string serialise(const JsonRpcResult& message);
[[nodiscard]] std::string serialise(const JsonRpcError& message);

struct MalformedMessage {
  static constexpr std::string_view kId = "jsonrpc.malformed";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  std::string reason;
  std::optional<RequestId> id;  // when it could be read, so that the answer can carry it
  [[nodiscard]] std::string text() const;
};
// A request or notification in all but its params, which must be an object when they are there.
struct MalformedMessageParams {
  static constexpr std::string_view kId = "jsonrpc.malformed_params";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kInvalidParams;
  std::optional<RequestId> id;
  [[nodiscard]] std::string text() const;
};

// The id of the request that a failure of read_message() belongs to, when it could be read.
[[nodiscard]] std::optional<RequestId> request_id_of(const Failure& failure);

// The numbers of JSON-RPC and of MCP 2026-07-28 (schema.ts; basic, "Error codes").
enum class ErrorCode : std::int64_t {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kHeaderMismatch = -32020,
  kMissingRequiredClientCapability = -32021,
  kUnsupportedProtocolVersion = -32022,
};

}  // namespace postern
