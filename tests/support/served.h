// Routes on a real socket of a free port, with real clocks.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "wire/base/clock.h"
#include "wire/base/random_source.h"
#include "wire/env/env.h"
#include "wire/transport/http_server.h"

namespace postern::test {

class Served {
 public:
  explicit Served(Routes routes, HttpLimits limits = {}, Tap* tap = nullptr, TrustedProxies proxies = {})
      : server_(listeners(std::move(routes), limits, std::move(proxies)),
                Env{clock_, random_, tap == nullptr ? no_tap_ : *tap}) {
    server_.start();
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] HttpServer& server() { return server_; }

 private:
  std::vector<HttpListener> listeners(Routes routes, HttpLimits limits, TrustedProxies proxies) {
    Result<ListeningSocket> socket = ListeningSocket::on_loopback(0);
    EXPECT_TRUE(socket.has_value());
    port_ = socket->port();
    std::vector<HttpListener> listeners;
    listeners.push_back(HttpListener{*std::move(socket), std::move(routes), limits, "server", std::move(proxies)});
    return listeners;
  }

  std::uint16_t port_ = 0;
  SystemClock clock_;
  SystemRandomSource random_;
  NoTap no_tap_;
  HttpServer server_;
};

}  // namespace postern::test
