// The HTTP client: one request, one response, within bounds.
//
// Redirects are not followed, bodies are not decompressed (none is asked for), a header value with CR, LF or NUL is
// refused before anything is sent, and a reply that is over its byte, line or header bounds, or later than its
// deadline, ends as a failure. TLS is verified against the system's roots or `ca_file`, the name against the subject
// alternative names only; there is no switch to turn that off. Host names are resolved here, once a connection, and the
// connection goes to the address that was checked.
//
// With a proxy (wire/transport/proxy_settings.h) the proxy resolves the name: https goes through a tunnel (CONNECT, RFC
// 9110 section 9.3.6) with TLS verified from end to end, http is asked for by its absolute URL. The addresses of a
// stranger's URL then cannot be checked here, so such a request is refused, unless a person named its host, or says
// that the proxy itself keeps requests out of private networks (SendGuard::admits_unresolved,
// ProxySettings::checks_addresses).
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
#include <utility>
#include <vector>

#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"
#include "wire/transport/failures.h"
#include "wire/transport/proxy_settings.h"

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
  std::shared_ptr<const ProxySettings> proxy;  // null: none
  // In place of the system's resolver: the addresses of a host, in the order in which to try them. Empty: the system's.
  std::function<Result<std::vector<std::string>>(const std::string& host)> resolve;
};

// What holds for a request whose URL is a stranger's word. A URL that a person configured needs none of it.
struct SendGuard {
  // Asked for each address that the host has, before anything is sent. One that is not admitted refuses them all: a
  // name that leads to two networks at once means no good. Empty: every address is allowed.
  std::function<bool(std::string_view host, std::string_view address)> admits_address;
  // Asked in place of that when a proxy will resolve the name. Empty: never.
  std::function<bool(std::string_view host)> admits_unresolved;
  std::size_t response_bytes_max = 0;  // of the body; 0: the client's own bound
};

class HttpClient {
 public:
  virtual ~HttpClient() = default;
  // Sends `request` to the origin of `uri` (its target, unless request.target is set) and reads the whole response by
  // `deadline`. Failures: transport.unreachable, transport.timed_out, transport.closed, transport.response_over_bound,
  // transport.malformed_response, transport.tls_failed, transport.unsendable, transport.cancelled,
  // transport.proxy_failed.
  [[nodiscard]] virtual Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime deadline,
                                                  std::stop_token stop = {}) = 0;
  // As send(), within a guard; also a kept connection is held against it. transport.address_refused. The default is for
  // clients that connect to no address (doubles in tests): it sends. Whoever wraps another client must pass the guard
  // on.
  [[nodiscard]] virtual Result<HttpResponse> send_guarded(const Uri& uri, const HttpRequest& request,
                                                          const SendGuard& guard, SteadyTime deadline,
                                                          std::stop_token stop = {}) {
    static_cast<void>(guard);
    return send(uri, request, deadline, std::move(stop));
  }
  // Reads the body as it comes. `on_head` gets status and headers once; both callbacks return false to end the exchange
  // early (that is not a failure). The returned response has an empty body.
  [[nodiscard]] virtual Result<HttpResponse> open(const Uri& uri, const HttpRequest& request,
                                                  const std::function<bool(const HttpResponse&)>& on_head,
                                                  const std::function<bool(std::string_view)>& on_bytes,
                                                  SteadyTime deadline, std::stop_token stop = {}) = 0;
  // The same with a deadline that moves: it is asked for before the request goes out, after the head and after each
  // piece of the body. The default is for clients that never wait (doubles in tests): it is asked for once.
  [[nodiscard]] virtual Result<HttpResponse> open_until(const Uri& uri, const HttpRequest& request,
                                                        const std::function<bool(const HttpResponse&)>& on_head,
                                                        const std::function<bool(std::string_view)>& on_bytes,
                                                        const std::function<SteadyTime()>& deadline,
                                                        std::stop_token stop = {}) {
    return open(uri, request, on_head, on_bytes, deadline(), std::move(stop));
  }
};

// Over sockets. The Env must outlive it.
[[nodiscard]] std::unique_ptr<HttpClient> make_http_client(Env env, HttpClientOptions options);

}  // namespace postern
