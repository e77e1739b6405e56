// The MCP endpoint over Streamable HTTP: one POST, one message (MCP 2026-07-28 basic/transports/streamable-http).
//
// handle() gets requests whose Host, Origin, method and bearer were checked already, in that order; method_refusal() is
// that check of the method. Answers are application/json; a request that may send notifications before its response,
// and subscriptions/listen, are answered by an event stream. Whoever closes a stream has cancelled its request. Session
// and resumption headers of older revisions are ignored and never sent. What is refused, and what is only taken (a
// notification), draws from the limit of its caller too; who calls tools is not told of it by a 429. Thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "services/gate/token_verifier.h"
#include "services/mcp/older_era.h"
#include "services/mcp/server.h"
#include "wire/http_message/http_message.h"
#include "wire/transport/http_server.h"

namespace postern::mcp {

class HttpEndpoint {
 public:
  // `resource_metadata_url` is named in challenges (RFC 9728 section 5.1). `older_era` may be null. The server and it
  // must outlive this.
  HttpEndpoint(const Server& server, std::string resource_metadata_url, OlderEra* older_era = nullptr)
      : server_(server), resource_metadata_url_(std::move(resource_metadata_url)), older_era_(older_era) {}

  // 405 with Allow: POST for every other method, or nothing.
  [[nodiscard]] static std::optional<HttpResponse> method_refusal(const HttpRequest& request);

  // On a thread of the event loop: may answer with Blocking.
  [[nodiscard]] HttpReply handle(const HttpRequest& request,
                                 std::shared_ptr<const services::VerifiedAccessToken> token) const;
  // In the blocking lane: answers at once, or with a stream.
  [[nodiscard]] HttpReply handle_blocking(const HttpRequest& request,
                                          std::shared_ptr<const services::VerifiedAccessToken> token,
                                          std::stop_token stop) const;

 private:
  struct Taken;  // a reply already, or a request to carry out
  [[nodiscard]] Taken take(const HttpRequest& request,
                           std::shared_ptr<const services::VerifiedAccessToken> token) const;
  [[nodiscard]] Taken begin(Accepted accepted) const;
  [[nodiscard]] HttpReply listen(PreparedListen listen) const;
  [[nodiscard]] HttpResponse refuse(const Failure& failure, std::optional<RequestId> id) const;
  // To a notification, which has no answer: 202, or why not.
  [[nodiscard]] HttpResponse notice(const HttpRequest& request) const;

  const Server& server_;
  std::string resource_metadata_url_;
  OlderEra* older_era_;
};

}  // namespace postern::mcp
