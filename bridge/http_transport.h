// HttpTransport: MCP over Streamable HTTP (MCP 2026-07-28 basic/transports, "Streamable HTTP").
//
// Each request is a POST of its own with the headers of the revision and the credentials that the authorizer has. An
// answer may be JSON or an event stream. A 401 is answered by a sign-in and the request is sent again with a new id, at
// most three times; a 403 insufficient_scope ends the exchange with bridge.scope_needed, because what to do
// then belongs to the call (bridge/call.h). No redirect is followed. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "bridge/oauth/request_authorizer.h"
#include "bridge/server_transport.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"
#include "wire/transport/http_client.h"

namespace postern::bridge {

class HttpTransport final : public ServerTransport {
 public:
  // References must outlive it.
  HttpTransport(Env env, HttpClient& http, RequestAuthorizer& authorizer, Uri endpoint);

  [[nodiscard]] Result<ServerAnswer> exchange(const OutgoingRequest& request, const std::stop_token& stop) override;
  [[nodiscard]] Status notify(const JsonRpcNotification& notification, SteadyTime deadline,
                              const std::stop_token& stop) override;
  void begin_operation() override { authorizer_.begin_operation(); }
  void speak_older_era(std::string_view protocol_version) override;
  [[nodiscard]] const std::string& where() const override { return where_; }
  [[nodiscard]] bool mirrors_parameters() const override { return true; }

 private:
  [[nodiscard]] Result<HttpResponse> post(const OutgoingRequest& request, const RequestId& id,
                                          const std::stop_token& stop);

  Env env_;
  HttpClient& http_;
  RequestAuthorizer& authorizer_;
  Uri endpoint_;
  std::string where_;
  std::atomic<std::int64_t> next_id_{1};
};

// The one JSON-RPC response in an answer of either content type. bridge.bad_response when there is none or it is for
// another id.
[[nodiscard]] Result<ServerAnswer> response_of(const HttpResponse& response, const RequestId& id);

}  // namespace postern::bridge
