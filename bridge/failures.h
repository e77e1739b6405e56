// What can go wrong between the host and a server. Texts are for people: what failed, what it means, what to do next.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/result.h"

namespace postern::bridge {

// Pin mode: the server does not speak the one revision. There is no fallback.
struct VersionNotOffered {
  static constexpr std::string_view kId = "bridge.version_not_offered";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::vector<std::string> offered;  // made visible; empty when the server did not say
  std::string ended{};               // how its program ended in place of an answer; empty when it did not
  [[nodiscard]] std::string text() const;
};
// A tool needs scopes that the token does not have (403).
struct ScopeNeeded {
  static constexpr std::string_view kId = "bridge.scope_needed";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kInsufficientScope;
  std::string scopes;            // "desk:read refunds:write", made visible
  std::string www_authenticate;  // the challenge as it came, for the OAuth client
  [[nodiscard]] std::string text() const;
};
// The server names its revisions, and none of them is one that this program speaks in the eras that its configuration
// allows.
struct NoCommonVersion {
  static constexpr std::string_view kId = "bridge.no_common_version";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::vector<std::string> offered;  // made visible; empty when the server did not say
  [[nodiscard]] std::string text() const;
};
// A method of a feature that the server does not declare: nothing was sent.
struct NotOffered {
  static constexpr std::string_view kId = "bridge.not_offered";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string method;
  std::string capability;  // "prompts", "extensions.io.modelcontextprotocol/skills"
  [[nodiscard]] std::string text() const;
};
// A JSON-RPC error that the server sent. What this program finds itself is never told by a number.
struct ServerError {
  static constexpr std::string_view kId = "bridge.server_error";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string method;
  std::int64_t code = 0;
  std::string message;  // made visible
  [[nodiscard]] std::string text() const;
};
// The server needs a capability that was not declared to it: forms where nobody can be asked, sampling, roots (-32021).
[[nodiscard]] bool wants_what_was_not_declared(const Failure& failure);
// resources/read of what the server does not have: -32602, or -32002 of older servers.
struct ResourceNotFound {
  static constexpr std::string_view kId = "bridge.resource_not_found";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string uri;      // made visible
  std::string message;  // the server's, made visible
  [[nodiscard]] std::string text() const;
};
// No answer in time. The server was told that nobody waits for it any longer.
struct RequestTimedOut {
  static constexpr std::string_view kId = "bridge.timed_out";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kUnavailable;
  std::string method;
  std::int64_t waited_ms = 0;
  bool silent = false;  // no sign of life for that long, instead of no answer
  std::string printed;  // stdio: what the server wrote meanwhile that is no message, made visible; may be empty
  [[nodiscard]] std::string text() const;
};
// Whoever waited for the answer wanted no more of it.
struct EndedByCaller {
  static constexpr std::string_view kId = "bridge.ended_by_caller";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string method;
  [[nodiscard]] std::string text() const;
};
// A server process ended, with the answer or before the request could be written.
struct ServerExited {
  static constexpr std::string_view kId = "bridge.server_exited";
  static constexpr Layer kLayer = Layer::kBytes;
  static constexpr Disposition kDisposition = Disposition::kUnavailable;
  std::string command;    // made visible
  std::string how;        // "with status 1", "by signal 9"; empty when it is not known
  std::string said;       // the last of its stderr, made visible; may be empty
  bool sent = true;       // whether the request may have reached it
  int starts = 1;         // how often it was started in this run
  bool given_up = false;  // it is not started again
  [[nodiscard]] std::string text() const;
  // "ended with status 1; its last words: \"...\"", as it goes on after the name of the program.
  [[nodiscard]] std::string how_it_ended() const;
};
// Older era, HTTP: the server no longer knows the session. The request was not carried out.
struct SessionEnded {
  static constexpr std::string_view kId = "bridge.session_ended";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string method;
  [[nodiscard]] std::string text() const;
};
// A status that is no answer: 3xx, 403 without a challenge, 5xx.
struct HttpStatus {
  static constexpr std::string_view kId = "bridge.http_status";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string method;
  int status = 0;
  [[nodiscard]] std::string text() const;
};
struct BadResponse {
  static constexpr std::string_view kId = "bridge.bad_response";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string reason;
  [[nodiscard]] std::string text() const;
};
// More pages, tools or rounds than any honest server needs.
struct TooMany {
  static constexpr std::string_view kId = "bridge.too_many";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string what;  // "pages of tools"
  std::size_t bound = 0;
  [[nodiscard]] std::string text() const;
};
// Nobody decided in the time that the person at the desk wanted to wait. The request stays open.
struct StillPending {
  static constexpr std::string_view kId = "bridge.still_pending";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string message;  // the server's last word, made visible
  [[nodiscard]] std::string text() const;
};
// The answer to a call that may have moved money was lost. It is not sent again.
struct OutcomeUnknown {
  static constexpr std::string_view kId = "bridge.outcome_unknown";
  static constexpr Layer kLayer = Layer::kBytes;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string tool;
  std::string reason;
  [[nodiscard]] std::string text() const;
};
// The server asked for something that this host does not do: a form, a sample, an unknown kind of input.
struct InputNotSupported {
  static constexpr std::string_view kId = "bridge.input_not_supported";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string what;
  [[nodiscard]] std::string text() const;
};
// open_case was answered with a no: another desk's ticket, or none of that name.
struct CaseNotOpened {
  static constexpr std::string_view kId = "case.not_opened";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string message;  // the server's, made visible
  [[nodiscard]] std::string text() const;
};
// The person stopped the run (Ctrl-C, or a no at a prompt that meant stop).
struct StoppedByPerson {
  static constexpr std::string_view kId = "bridge.stopped";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  bool call_in_flight = false;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::bridge
