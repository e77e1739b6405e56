// The HTTP client: one request, one response, within bounds.
//
// Redirects are not followed, bodies are not decompressed (none is asked for), a header value with CR, LF or NUL is
// refused before anything is sent, and a reply that is over its byte, line or header bounds, or later than its
// deadline, ends as a failure. TLS is verified against the system's roots or `ca_file`, the name against the subject
// alternative names only; there is no switch to turn that off. Host names are resolved here, and the connection goes to
// the address that was checked.
//
// Connections are kept alive for 5 s and reused. A request that fails because a kept connection was closed before any
// byte of an answer came is sent again once when it is a GET, and never when it is anything else. Thread-safe: calls
// from several threads use connections of their own. REQUIRES, with https, a program that ignores SIGPIPE
// (prepare_signals()).
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"
#include "wire/transport/failures.h"

namespace postern {

struct HttpClientOptions {
  std::string tap_self = "host";
  std::string tap_peer = "server";
  std::size_t response_bytes_max = 8 * 1024 * 1024;
  std::size_t header_bytes_max = 64 * 1024;
  std::size_t header_lines_max = 128;
  std::chrono::milliseconds connect_ms_max{5'000};
  std::string ca_file;  // empty: the system's roots
  bool keep_alive = true;
  // Asked for each address that a name has, before anything is sent to it (private networks, metadata services); empty:
  // all are allowed.
  std::function<bool(std::string_view address)> admits_address;
};

class HttpClient {
 public:
  virtual ~HttpClient() = default;
  // Sends `request` to the origin of `uri` (its target, unless request.target is set) and reads the whole response by
  // `deadline`. Failures: transport.unreachable, transport.timed_out, transport.closed, transport.response_over_bound,
  // transport.malformed_response, transport.tls_failed, transport.unsendable, transport.cancelled.
  [[nodiscard]] virtual Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime deadline,
                                                  std::stop_token stop = {}) = 0;
  // Reads the body as it comes. `on_head` gets status and headers once; both callbacks return false to end the exchange
  // early (that is not a failure). The returned response has an empty body.
  [[nodiscard]] virtual Result<HttpResponse> open(const Uri& uri, const HttpRequest& request,
                                                  const std::function<bool(const HttpResponse&)>& on_head,
                                                  const std::function<bool(std::string_view)>& on_bytes,
                                                  SteadyTime deadline, std::stop_token stop = {}) = 0;
};

// Over sockets. The Env must outlive it.
[[nodiscard]] std::unique_ptr<HttpClient> make_http_client(Env env, HttpClientOptions options);

}  // namespace postern
