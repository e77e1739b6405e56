// One connection of the HTTP client: the library's client classes with what they leave open closed.
//
// From cpp-httplib come the life of a connection and TLS (ClientImpl, SSLClient). What it does without bounds is
// replaced, through the virtual functions it has: connecting (to the address that was checked, within the deadline, and
// through the tunnel of a proxy) and the exchange itself (BoundedStream, ResponseReader). TLS verifies the chain
// against the system's roots or one file, and the name against the subject alternative names only; its handshake, which
// has no deadline in the library, is ended by a watch that shuts the socket down.
//
// Internal to http_client.cc. One thread uses a connection at a time. Never throws.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/transport/failures.h"
#include "wire/transport/proxy_settings.h"

namespace httplib {
class Stream;
}

namespace postern {

class BoundedStream;

// What a connection is asked to do once.
struct ConnectionJob {
  std::vector<std::string> addresses;  // to try in this order, when the connection is not open yet
  SteadyTime deadline;
  Milliseconds connect_ms_max{5'000};
  std::stop_token stop;
  // The exchange over the open connection. True keeps the connection open for another one.
  std::function<bool(BoundedStream&)> exchange;
};

class HttpConnection {
 public:
  virtual ~HttpConnection() = default;
  // Connects if need be, then runs the exchange. Fails when there was no connection to run it on.
  [[nodiscard]] virtual Status run(const ConnectionJob& job) = 0;
  // Open, and with nothing to read: a peer that closed it, or sent what nobody asked for, makes it useless.
  [[nodiscard]] virtual bool is_fresh() const = 0;

  SteadyTime last_used{};
  std::string address;  // that it is connected to; empty behind a proxy
};

// To the origin of `uri`, directly, or through `proxy`, which must outlive it; null: none. `ca_file` empty: the
// system's roots. Through a proxy the addresses of a job are the proxy's.
[[nodiscard]] std::unique_ptr<HttpConnection> make_http_connection(const Uri& uri, const Proxy* proxy,
                                                                   const std::string& ca_file, const Clock& clock);

}  // namespace postern
