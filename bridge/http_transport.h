// HttpTransport: MCP over Streamable HTTP (MCP 2026-07-28 basic/transports/streamable-http; in an older era as
// 2025-11-25 has it).
//
// Each request is a POST of its own with the headers of the revision and the credentials that the authorizer has. An
// answer may be JSON or an event stream (bridge/http_answer.h). A 401 is answered by a sign-in and the request is sent
// again with a new id, at most three times; so is a 403 insufficient_scope by a step-up, but that of tools/call ends
// the exchange with bridge.scope_needed, because what to do then belongs to the call (bridge/call.h). No redirect is
// followed. A stream that breaks is a lost answer: nothing is resumed, nothing is sent again. Cancelling is closing the
// stream; in an older era, where that means nothing, notifications/cancelled is sent. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "bridge/http_answer.h"
#include "bridge/oauth/request_authorizer.h"
#include "bridge/server_transport.h"
#include "wire/base/mutex.h"
#include "wire/base/secret.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"
#include "wire/transport/http_client.h"

namespace postern::bridge {

class HttpTransport;
struct OlderSessionIdTag {
  using RevealedBy = Reveals<HttpTransport>;
};
// Mcp-Session-Id of the older eras. Whoever has it speaks as us.
using OlderSessionId = Secret<OlderSessionIdTag>;

class HttpTransport final : public ServerTransport {
 public:
  // References must outlive it.
  HttpTransport(Env env, HttpClient& http, RequestAuthorizer& authorizer, Uri endpoint);

  [[nodiscard]] Result<ServerAnswer> exchange(const OutgoingRequest& request, const std::stop_token& stop) override;
  [[nodiscard]] Status notify(const JsonRpcNotification& notification, SteadyTime deadline,
                              const std::stop_token& stop) override;
  void begin_operation() override { authorizer_.begin_operation(); }
  void speak_older_era(std::string_view protocol_version) override;
  void leave_older_era(SteadyTime deadline) override;
  [[nodiscard]] std::uint64_t authorization_context() const override;
  [[nodiscard]] const std::string& where() const override { return where_; }
  [[nodiscard]] bool mirrors_parameters() const override { return true; }

 private:
  // What came of one POST: the answer, or that the same request is to be sent again.
  struct Posted {
    Result<ServerAnswer> answer;
    HttpResponse head;
    bool has_head = false;
    bool again = false;
  };
  [[nodiscard]] Result<Posted> post(const OutgoingRequest& request, const RequestId& id, const std::stop_token& stop);
  // A POST whose answer is a status: a notification, or what we answer to a server of an older era.
  [[nodiscard]] Status post_one_way(std::string_view method, std::string body, SteadyTime deadline, bool may_sign_in,
                                    const std::stop_token& stop);
  [[nodiscard]] HeaderList headers_of(std::string_view method, const Json& params,
                                      const std::vector<mcp::ParamHeader>& param_headers) const;
  void note_authorization(const HeaderList& headers);
  void note_session(const OutgoingRequest& request, const HttpResponse& head);
  [[nodiscard]] bool in_older_era() const;
  [[nodiscard]] bool in_session() const;
  [[nodiscard]] Status answer_server(const JsonRpcRequest& asked, SteadyTime deadline, const std::stop_token& stop);
  void cancel_in_older_era(const OutgoingRequest& request, const RequestId& id);

  Env env_;
  HttpClient& http_;
  RequestAuthorizer& authorizer_;
  Uri endpoint_;
  std::string where_;
  std::atomic<std::int64_t> next_id_{1};

  mutable Mutex mutex_;
  bool older_era_ POSTERN_GUARDED_BY(mutex_) = false;
  std::string older_version_ POSTERN_GUARDED_BY(mutex_);  // empty before initialize was answered
  OlderSessionId session_id_ POSTERN_GUARDED_BY(mutex_);  // empty: none
  std::string authorization_digest_ POSTERN_GUARDED_BY(mutex_);
  std::uint64_t authorization_context_ POSTERN_GUARDED_BY(mutex_) = 0;
};

}  // namespace postern::bridge
