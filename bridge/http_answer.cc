#include "bridge/http_answer.h"

#include <algorithm>
#include <utility>

#include "bridge/failures.h"
#include "wire/base/replace_text.h"
#include "wire/base/secret.h"

namespace postern::bridge {
namespace {

constexpr std::size_t kSecretBytesMin = 16;  // a shorter one could be any word
constexpr std::string_view kWithheld = "[the access token is withheld]";
constexpr std::size_t kErrorBytesMax = 64 * 1024;  // of a body that is no answer

}  // namespace

Withheld::~Withheld() {
  wipe(secret_);
}

bool Withheld::is_in(const Json& value) const {
  if (const std::string* text = value.string()) return text->find(secret_) != std::string::npos;
  const auto& elements = value.elements();
  if (std::any_of(elements.begin(), elements.end(), [this](const Json& element) { return is_in(element); }))
    return true;
  const auto& members = value.members();
  return std::any_of(members.begin(), members.end(), [this](const Json::Member& member) {
    return member.first.find(secret_) != std::string::npos || is_in(member.second);
  });
}

Json Withheld::without(const Json& value) const {
  const auto text_without = [this](std::string text) {
    replace_all(text, secret_, kWithheld);
    return text;
  };
  if (value.string() != nullptr) return text_without(*value.string());
  if (value.is_array()) {
    Json array = Json::array();
    for (const Json& element : value.elements()) array.push(without(element));
    return array;
  }
  if (!value.is_object()) return value;
  Json object = Json::object();
  for (const auto& [name, member] : value.members()) object.append_member(text_without(name), without(member));
  return object;
}

JsonRpcMessage Withheld::without(JsonRpcMessage message) const {
  if (secret_.size() < kSecretBytesMin) return message;
  if (auto* result = std::get_if<JsonRpcResult>(&message)) {
    if (is_in(result->result)) result->result = without(result->result);
  } else if (auto* error = std::get_if<JsonRpcError>(&message)) {
    replace_all(error->message, secret_, kWithheld);
    if (error->data && is_in(*error->data)) error->data = without(*error->data);
  } else if (auto* notification = std::get_if<JsonRpcNotification>(&message)) {
    if (is_in(notification->params)) notification->params = without(notification->params);
  }
  return message;
}

bool HttpAnswer::take_head(const HttpResponse& head) {
  head_ = head;
  has_head_ = true;
  const std::string* type = head.headers.find("Content-Type");
  const std::string media = type == nullptr ? std::string() : media_type(*type);
  is_stream_ = head.status == 200 && media == "text/event-stream";
  is_json_ = media == "application/json";
  if (head.status == 200 && !is_stream_ && !is_json_) {
    outcome_ = BadResponse{"its content type is neither JSON nor an event stream"};
    return false;
  }
  return true;
}

bool HttpAnswer::take_bytes(std::string_view bytes) {
  if (!is_stream_) {
    body_ += bytes;
    return head_.status == 200 || body_.size() <= kErrorBytesMax;
  }
  const Result<bool> fed = events_.feed(bytes, [this](const ServerSentEvent& event) {
    if (event.type != "message" || event.data.empty()) return true;
    return take_message(event.data);
  });
  if (!fed) outcome_ = fed.error();
  return fed && *fed;
}

// False ends the exchange: the outcome is there.
bool HttpAnswer::take_message(std::string_view text) {
  JsonBounds bounds;
  bounds.bytes_max = kAnswerBytesMax;
  Result<JsonRpcMessage> parsed = parse_message(text, bounds);
  if (!parsed) {
    outcome_ = parsed.error();
    return false;
  }
  JsonRpcMessage message = parts_.withheld.without(*std::move(parsed));
  if (auto* result = std::get_if<JsonRpcResult>(&message)) {
    outcome_ = result->id == parts_.id ? Result<ServerAnswer>(ServerAnswer(std::move(*result)))
                                       : Result<ServerAnswer>(BadResponse{"it is an answer to another request"});
    return false;
  }
  if (auto* error = std::get_if<JsonRpcError>(&message)) {
    const bool ours = !error->id || *error->id == parts_.id;
    outcome_ = ours ? Result<ServerAnswer>(ServerAnswer(std::move(*error)))
                    : Result<ServerAnswer>(BadResponse{"it is an answer to another request"});
    return false;
  }
  if (const auto* notification = std::get_if<JsonRpcNotification>(&message)) {
    parts_.signs.take(*notification);
    const bool go_on = !parts_.request.on_notification || parts_.request.on_notification(*notification);
    if (!go_on) outcome_ = EndedByCaller{parts_.request.method};
    return go_on;
  }
  if (!parts_.answer_server) {
    outcome_ = BadResponse{"the server sent a request"};
    return false;
  }
  const Status answered = parts_.answer_server(std::get<JsonRpcRequest>(message));
  if (!answered) outcome_ = answered.error();
  return answered.has_value();
}

// A status that is no success counts only as what a JSON-RPC error in its body says.
void HttpAnswer::read_whole() {
  if (head_.status == 200) {
    if (take_message(body_)) outcome_ = BadResponse{"it ended without a response"};
    return;
  }
  if (!is_json_ || body_.empty() || body_.size() > kErrorBytesMax) return;
  static_cast<void>(take_message(body_));
  if (outcome_ && (!*outcome_ || !std::holds_alternative<JsonRpcError>(**outcome_))) outcome_.reset();
}

Result<ServerAnswer> HttpAnswer::finish() {
  if (!outcome_ && !is_stream_) read_whole();
  if (outcome_) return *outcome_;
  if (is_stream_) return BadResponse{"it ended without a response"};
  return HttpStatus{parts_.request.method, head_.status};
}

}  // namespace postern::bridge
