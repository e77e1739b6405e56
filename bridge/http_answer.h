// HttpAnswer: the answer to one POST while it comes, JSON or an event stream (MCP 2026-07-28
// basic/transports/streamable-http, "Receiving messages").
//
// Lines of a stream may end in every way that event streams know; comments, ids, retry times and events of other types
// mean nothing here. Notifications are handed on as they come; the response ends the stream, whatever would follow.
// What is said after it, or for another id, is no answer. One thread; internal to HttpTransport.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "bridge/server_transport.h"
#include "bridge/signs_of_life.h"
#include "wire/http_message/http_message.h"
#include "wire/jsonrpc/message.h"
#include "wire/transport/sse.h"

namespace postern::bridge {

inline constexpr std::size_t kAnswerBytesMax = 8 * 1024 * 1024;  // of one message

// What must not come back from a server to a screen, a transcript or a model: the credential that was sent to it.
class Withheld {
 public:
  explicit Withheld(std::string secret) : secret_(std::move(secret)) {}
  Withheld(const Withheld&) = delete;
  Withheld& operator=(const Withheld&) = delete;
  ~Withheld();
  // The same message with a mark in place of each occurrence, however its characters were escaped.
  [[nodiscard]] JsonRpcMessage without(JsonRpcMessage message) const;

 private:
  [[nodiscard]] bool is_in(const Json& value) const;
  [[nodiscard]] Json without(const Json& value) const;
  std::string secret_;
};

class HttpAnswer {
 public:
  struct Parts {
    const OutgoingRequest& request;
    const RequestId& id;
    const Withheld& withheld;
    SignsOfLife& signs;
    // Answers a request of the server (older eras). Empty: a server that sends one breaks off the exchange.
    std::function<Status(const JsonRpcRequest&)> answer_server;
  };
  explicit HttpAnswer(Parts parts) : parts_(std::move(parts)) {}

  // False when nothing more is wanted.
  [[nodiscard]] bool take_head(const HttpResponse& head);
  [[nodiscard]] bool take_bytes(std::string_view bytes);

  [[nodiscard]] const HttpResponse& head() const { return head_; }
  [[nodiscard]] bool has_head() const { return has_head_; }
  // The response, or why the exchange was broken off; nothing while neither is there.
  [[nodiscard]] const std::optional<Result<ServerAnswer>>& outcome() const { return outcome_; }
  // After the end of the body.
  [[nodiscard]] Result<ServerAnswer> finish();

 private:
  [[nodiscard]] bool take_message(std::string_view text);
  void read_whole();

  Parts parts_;
  HttpResponse head_;
  bool has_head_ = false;
  bool is_stream_ = false;
  bool is_json_ = false;
  std::string body_;
  EventStreamReader events_{kAnswerBytesMax};
  std::optional<Result<ServerAnswer>> outcome_;
};

}  // namespace postern::bridge
