// PastedRedirectUserAgent: a person signs in with a browser on another machine, and brings the answer back by hand.
//
// The link is shown whole. The redirect URI names a port of 127.0.0.1 at which nobody listens, so the browser ends on a
// page that cannot be shown, with the answer in its address: that address is pasted here. Only one that begins with the
// redirect URI and carries the state of this sign-in is taken; what else is pasted is said to be no answer, and asked
// for again. One thread; the Env and the terminal must outlive it.
#pragma once

#include <stop_token>
#include <string>

#include "bridge/oauth/user_agent.h"
#include "host/terminal.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"

namespace postern::host {

class PastedRedirectUserAgent final : public bridge::UserAgent {
 public:
  PastedRedirectUserAgent(Env env, Terminal& terminal) : env_(env), terminal_(terminal) {}
  [[nodiscard]] Result<std::string> redirect_uri() override;
  // Failures: sign_in.no_way where nobody can be asked, bridge.stopped.
  [[nodiscard]] Result<std::string> authorize(const Uri& authorization, std::stop_token stop) override;

 private:
  Env env_;
  Terminal& terminal_;
  std::string redirect_uri_;
};

}  // namespace postern::host
