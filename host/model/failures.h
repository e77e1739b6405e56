// Failures of the model's side. A run that ends with one of them ends with exit code 7: nothing of what such a turn
// asked for is run.
#pragma once

#include <string>
#include <string_view>

#include "wire/base/result.h"

namespace postern::host {

// The service answered, and the answer is no: a wrong key, a request it does not take, a spend limit.
struct ModelApiRefused {
  static constexpr std::string_view kId = "model.api_refused";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string where;  // the origin
  int status = 0;
  std::string error_type;  // "authentication_error", made visible; an open set
  std::string error_code;  // of error.details, made visible; often empty
  std::string message;     // of the service, made visible
  std::string request_id;  // made visible; may be empty
  [[nodiscard]] std::string text() const;
};
// The service could not be reached, was overloaded, or asked for more patience than the bound. `attempts` requests were
// sent.
struct ModelApiUnavailable {
  static constexpr std::string_view kId = "model.api_unavailable";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kUnavailable;
  std::string where;
  std::string reason;
  int attempts = 0;
  [[nodiscard]] std::string text() const;
};
// The reply is not a message as the Messages API describes it.
struct ModelReplyMalformed {
  static constexpr std::string_view kId = "model.malformed_reply";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string reason;
  [[nodiscard]] std::string text() const;
};
// The reply holds work that ran, or was asked for, on the service's own side: another caller than "direct", a server
// tool, an MCP connector. This host offers none of that, so nothing of the turn can be trusted.
struct ModelServerSideWork {
  static constexpr std::string_view kId = "model.server_side_work";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string what;  // the block's type or the caller's, made visible
  [[nodiscard]] std::string text() const;
};
// The turn was cut: out of tokens or out of context. Its last tool input may be incomplete, so none was run.
struct ModelTurnCutOff {
  static constexpr std::string_view kId = "model.turn_cut_off";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string stop_reason;
  [[nodiscard]] std::string text() const;
};
struct ModelDeclined {
  static constexpr std::string_view kId = "model.declined";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string category_and_explanation;  // made visible; may be empty
  [[nodiscard]] std::string text() const;
};
// A stop reason that this host does not know, or that nothing in its requests can lead to.
struct ModelStopUnexpected {
  static constexpr std::string_view kId = "model.unexpected_stop";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string stop_reason;  // made visible
  [[nodiscard]] std::string text() const;
};
// The base URL of the model service: plain http goes to this machine only, and nothing but a scheme, a host and a path
// prefix is taken.
struct ModelUrlRefused {
  static constexpr std::string_view kId = "model.url_refused";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string url;  // made visible
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::host
