#include "wire/jsonrpc/message.h"

namespace postern {
namespace {

// A value takes two bytes of text at least, and some fifty once it is read: a message of nothing but small values would
// be kept, while its work waits, at twenty times what was counted when it came.
constexpr std::size_t kValuesMax = 64 * 1024;
constexpr std::size_t kBytesOfAValueMin = 2;

// At least as many as there are values in JSON text: one before each comma outside of strings, and one a bracket.
std::size_t values_at_most(std::string_view text) {
  std::size_t count = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == ',' || c == '[' || c == '{')) {
      ++count;
    }
  }
  return count;
}

std::string opening() {
  return R"({"jsonrpc":"2.0")";
}

void append_id(std::string& out, const RequestId& id) {
  out += ",\"id\":" + id.json().dump();
}

void append_method(std::string& out, const std::string& method, const Json& params) {
  out += ",\"method\":";
  Json::append_quoted(out, method);
  if (!params.is_null()) out += ",\"params\":" + params.dump();
}

// A request or a notification: what has a method.
Result<JsonRpcMessage> read_call(const Json& json, const Json* id_member, std::optional<RequestId> id) {
  const std::string* method = json.find("method")->string();
  if (method == nullptr) return MalformedMessage{"\"method\" is no string", std::move(id)};
  if (json.has("result") || json.has("error")) {
    return MalformedMessage{"it has a method and a result or an error", std::move(id)};
  }
  const Json* params = json.find("params");
  if (params != nullptr && !params->is_object()) return MalformedMessageParams{std::move(id)};
  Json taken = params == nullptr ? Json() : *params;
  if (id_member == nullptr) return JsonRpcMessage(JsonRpcNotification{*method, std::move(taken)});
  return JsonRpcMessage(JsonRpcRequest{*std::move(id), *method, std::move(taken)});
}

Result<JsonRpcMessage> read_error(const Json& error, std::optional<RequestId> id) {
  const auto code = error.integer_at("code");
  const Json* message = error.find("message");
  if (!code || message == nullptr || !message->is_string()) {
    return MalformedMessage{"\"error\" has no integer \"code\" or no string \"message\"", std::move(id)};
  }
  std::optional<Json> data;
  if (const Json* member = error.find("data")) data = *member;
  return JsonRpcMessage(JsonRpcError{std::move(id), *code, *message->string(), std::move(data)});
}

// A result or an error: what has no method.
Result<JsonRpcMessage> read_response(const Json& json, const Json* id_member, std::optional<RequestId> id) {
  const Json* result = json.find("result");
  const Json* error = json.find("error");
  if (result == nullptr && error == nullptr)
    return MalformedMessage{"it has no method, no result and no error", std::move(id)};
  if (result != nullptr && error != nullptr)
    return MalformedMessage{"it has both a result and an error", std::move(id)};
  if (error != nullptr) return read_error(*error, std::move(id));
  if (id_member == nullptr || !id) return MalformedMessage{"a result without an id", std::move(id)};
  if (!result->is_object()) return MalformedMessage{"\"result\" is no object", std::move(id)};
  return JsonRpcMessage(JsonRpcResult{*std::move(id), *result});
}

}  // namespace

std::optional<RequestId> RequestId::of_json(const Json& value) {
  if (!value.is_string() && !value.is_integer()) return std::nullopt;
  return RequestId(value);
}

Result<JsonRpcMessage> read_message(const Json& json) {
  if (json.is_array()) return MalformedMessage{"batches are not part of this revision", std::nullopt};
  if (!json.is_object()) return MalformedMessage{"it is no object", std::nullopt};
  const Json* id_member = json.find("id");
  std::optional<RequestId> id = id_member == nullptr ? std::nullopt : RequestId::of_json(*id_member);
  if (json.string_at("jsonrpc") != "2.0") return MalformedMessage{"\"jsonrpc\" is not \"2.0\"", std::move(id)};
  const bool is_call = json.has("method");
  // An error may carry a null id, or none: its sender could not read the request's (JSON-RPC 2.0 section 5).
  const bool null_id_of_error = !is_call && json.has("error") && id_member != nullptr && id_member->is_null();
  if (id_member != nullptr && !id && !null_id_of_error) {
    return MalformedMessage{"\"id\" is neither a string nor an integer", std::nullopt};
  }
  return is_call ? read_call(json, id_member, std::move(id)) : read_response(json, id_member, std::move(id));
}

Result<JsonRpcMessage> parse_message(std::string_view text, JsonBounds bounds) {
  const bool may_hold_many = text.size() > kBytesOfAValueMin * kValuesMax && text.size() <= bounds.bytes_max;
  if (may_hold_many && values_at_most(text) > kValuesMax) return JsonOverBound{"values", kValuesMax};
  POSTERN_TRY(const Json json, parse_json(text, bounds));
  return read_message(json);
}

std::string serialise(const JsonRpcRequest& message) {
  std::string out = opening();
  append_id(out, message.id);
  append_method(out, message.method, message.params);
  return out + "}";
}

std::string serialise(const JsonRpcNotification& message) {
  std::string out = opening();
  append_method(out, message.method, message.params);
  return out + "}";
}

std::string serialise(const JsonRpcResult& message) {
  std::string out = opening();
  append_id(out, message.id);
  return out + ",\"result\":" + message.result.dump() + "}";
}

std::string serialise(const JsonRpcError& message) {
  std::string out = opening();
  if (message.id) append_id(out, *message.id);
  out += ",\"error\":{\"code\":" + std::to_string(message.code) + ",\"message\":";
  Json::append_quoted(out, message.message);
  if (message.data) out += ",\"data\":" + message.data->dump();
  return out + "}}";
}

std::optional<RequestId> request_id_of(const Failure& failure) {
  if (const auto* malformed = failure.as<MalformedMessage>()) return malformed->id;
  if (const auto* malformed = failure.as<MalformedMessageParams>()) return malformed->id;
  return std::nullopt;
}

std::string MalformedMessage::text() const {
  return "The message is not valid JSON-RPC 2.0: " + reason + ".";
}

std::string MalformedMessageParams::text() const {
  return "The message's \"params\" are no object.";
}

}  // namespace postern
