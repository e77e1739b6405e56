// ServerTransport: one message to one MCP server, and the one that answers it, over whichever transport is configured
// (MCP 2026-07-28 basic/transports).
//
// Implementations: HttpTransport (Streamable HTTP), StdioTransport (a child process). A request is sent once: whoever
// wants it sent again makes a new one with a new id. Whatever ends an exchange early (deadline, silence, the caller)
// sends the transport's own signal of cancellation before it returns: the response stream is closed, or
// notifications/cancelled written; an answer that comes afterwards is dropped. The transport gives each request
// it sends an id that no other request of it had, also when it sends one again after a sign-in. Thread-safe: a
// subscription may be open beside calls.
//
// In an older era (speak_older_era) the server may send requests of its own: ping is answered with {}, every other with
// -32601, because no capability was declared for it. In the newest era a request of the server is never answered.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/jsonrpc/message.h"
#include "wire/mcp/headers.h"

namespace postern::bridge {

struct OutgoingRequest {
  std::string method;
  Json params;                                  // whole, with its _meta
  std::vector<mcp::ParamHeader> param_headers;  // HTTP only
  SteadyTime deadline;                          // the end, whatever comes before
  // The longest silence; each sign of life (bridge/signs_of_life.h) begins it anew. 0: only the deadline counts.
  std::chrono::milliseconds silence_ms_max{0};
  // Notifications that belong to this request, on the calling thread, in order. False ends the exchange
  // (bridge.ended_by_caller).
  std::function<bool(const JsonRpcNotification&)> on_notification;
  // False: a challenge ends the request (bridge.http_status 401) instead of bringing a sign-in before a person.
  bool may_sign_in = true;
};

// A result, whatever its resultType, or an error, whatever the HTTP status it came with.
using ServerAnswer = std::variant<JsonRpcResult, JsonRpcError>;
// The error of an answer that is one; null otherwise. It lives as long as the answer.
[[nodiscard]] inline const JsonRpcError* error_in(const Result<ServerAnswer>& answer) {
  return answer ? std::get_if<JsonRpcError>(&*answer) : nullptr;
}

class ServerTransport {
 public:
  virtual ~ServerTransport() = default;

  // Failures: bridge.scope_needed,
  // bridge.http_status (no JSON-RPC in it), bridge.bad_response, bridge.server_exited, bridge.timed_out,
  // bridge.ended_by_caller, bridge.session_ended, transport.*, json.*, jsonrpc.*, sign_in.*, oauth.*.
  [[nodiscard]] virtual Result<ServerAnswer> exchange(const OutgoingRequest& request, const std::stop_token& stop) = 0;
  // A notification of ours, which has no answer.
  [[nodiscard]] virtual Status notify(const JsonRpcNotification& notification, SteadyTime deadline,
                                      const std::stop_token& stop) = 0;

  // A new operation begins, for what is bounded per operation.
  virtual void begin_operation() {}
  // The requests from here on are of an older era. An empty version stands before `initialize`, and forgets what was
  // agreed before; the one that the server chose comes after it. HTTP: the headers of that revision, and the
  // Mcp-Session-Id that initialize brought with it. stdio: a process that has ended is begun anew for `initialize`
  // only; every other request is then bridge.server_exited and was not written.
  virtual void speak_older_era(std::string_view protocol_version) = 0;
  // The requests from here on are of the newest revision again. Ends what the server keeps for an older session, by the
  // deadline (HTTP: DELETE); whether that worked does not matter.
  virtual void leave_older_era(SteadyTime /*deadline*/) {}

  // Another number after the credentials that requests go out with are others: what was said to one authorization is
  // not shown to another (server/utilities/caching, "Cache scope"). A transport without credentials has only one.
  [[nodiscard]] virtual std::uint64_t authorization_context() const { return 0; }

  // For people: the URL, or the command.
  [[nodiscard]] virtual const std::string& where() const = 0;
  // Annotations of x-mcp-header count on HTTP only.
  [[nodiscard]] virtual bool mirrors_parameters() const = 0;
};

}  // namespace postern::bridge
