// LoopbackUserAgent: a person signs in with their own browser, and the redirect comes back to a port of this machine
// (RFC 8252 sections 7.3 and 8.3).
//
// For each sign-in a free port of 127.0.0.1 is bound before the request is built. The link is shown whole, with its
// host, and opened only when the person says so. Only a redirect that carries the state of this sign-in ends the
// waiting: whatever else knocks at the port is refused and changes nothing. The redirect is given on as it came;
// nothing in it is believed here. One thread; the Env and the terminal must outlive it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "bridge/oauth/user_agent.h"
#include "host/terminal.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/transport/listening_socket.h"

namespace postern::host {

class LoopbackUserAgent final : public bridge::UserAgent {
 public:
  static constexpr std::chrono::seconds kWaitMax{300};

  // `open_choice` is "ask" or "never". `wait_max` is for tests.
  LoopbackUserAgent(Env env, Terminal& terminal, std::string open_choice, std::chrono::milliseconds wait_max = kWaitMax)
      : env_(env), terminal_(terminal), open_choice_(std::move(open_choice)), wait_max_(wait_max) {}

  // "http://127.0.0.1:PORT/callback". Failures: transport.listen_failed.
  [[nodiscard]] Result<std::string> redirect_uri() override;
  // REQUIRES redirect_uri() before. Failures: sign_in.no_way with --no-input, sign_in.nobody_came, bridge.stopped.
  [[nodiscard]] Result<std::string> authorize(const Uri& authorization, std::stop_token stop) override;

 private:
  class Inbox;
  void show(const Uri& authorization);

  Env env_;
  Terminal& terminal_;
  std::string open_choice_;
  std::chrono::milliseconds wait_max_;
  std::optional<ListeningSocket> socket_;
};

struct NobodyCame {
  static constexpr std::string_view kId = "sign_in.nobody_came";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string issuer;
  std::chrono::seconds waited{0};
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::host
