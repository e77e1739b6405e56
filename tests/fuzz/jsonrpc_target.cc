#include "tests/fuzz/targets.h"
#include "wire/base/check.h"
#include "wire/jsonrpc/message.h"

namespace postern::fuzz {
namespace {

constexpr JsonBounds kBounds{16 * 1024, 24};

std::string text_of(const JsonRpcMessage& message) {
  return std::visit([](const auto& kind) { return serialise(kind); }, message);
}

std::optional<RequestId> id_of(const JsonRpcMessage& message) {
  if (const auto* request = std::get_if<JsonRpcRequest>(&message)) return request->id;
  if (const auto* result = std::get_if<JsonRpcResult>(&message)) return result->id;
  if (const auto* error = std::get_if<JsonRpcError>(&message)) return error->id;
  return std::nullopt;
}

// The number stands in the text as it is, and not as a part of another.
bool stands_in(std::string_view input, const std::string& number) {
  constexpr std::string_view kBefore = ": \t\r\n";
  constexpr std::string_view kBehind = ",} \t\r\n";
  for (std::size_t at = input.find(number, 1); at != input.npos; at = input.find(number, at + 1)) {
    const std::size_t end = at + number.size();
    if (end < input.size() && kBefore.find(input[at - 1]) != kBefore.npos && kBehind.find(input[end]) != kBehind.npos) {
      return true;
    }
  }
  return false;
}

// What an answer to the message would carry is what came: the same type, the same digits.
void check_id(std::string_view input, const Json& raw, const RequestId& id) {
  const Json* came = raw.find("id");
  POSTERN_CHECK(came != nullptr && *came == id.json());
  const std::string echoed = id.json().dump();
  POSTERN_CHECK(echoed == came->dump());
  if (id.json().is_integer()) POSTERN_CHECK(stands_in(input, echoed));
}

void check_refusal(const Failure& failure) {
  POSTERN_CHECK(failure.id().substr(0, 5) == "json." || failure.id().substr(0, 8) == "jsonrpc.");
  POSTERN_CHECK(!failure.text().empty());
}

}  // namespace

void jsonrpc(std::string_view input) {
  const auto message = parse_message(input, kBounds);
  const auto raw = parse_json(input, kBounds);
  if (!message) {
    check_refusal(message.error());
    const auto id = request_id_of(message.error());
    if (id) check_id(input, *raw, *id);
    return;
  }
  POSTERN_CHECK(raw.has_value() && raw->is_object() && raw->string_at("jsonrpc") == "2.0");
  POSTERN_CHECK(raw->has("method") != (raw->has("result") || raw->has("error")));
  const std::string text = text_of(*message);
  POSTERN_CHECK(text.find_first_of("\r\n") == text.npos);  // it is a line of stdio
  const auto again = parse_message(text, {8 * kBounds.bytes_max, kBounds.depth_max});
  POSTERN_CHECK(again.has_value() && again->index() == message->index());
  POSTERN_CHECK(text_of(*again) == text);
  if (const auto id = id_of(*message)) check_id(input, *raw, *id);
  if (const auto* result = std::get_if<JsonRpcResult>(&*message)) POSTERN_CHECK(result->result.is_object());
  if (const auto* request = std::get_if<JsonRpcRequest>(&*message)) {
    POSTERN_CHECK(request->params.is_object() || request->params.is_null());
  }
}

}  // namespace postern::fuzz
