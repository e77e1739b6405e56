// RedirectReader: plays the browser of the conformance suite, whose authorization endpoints answer at once: the
// redirect's address is read from the answer and never fetched.
#pragma once

#include <stop_token>
#include <string>

#include "bridge/oauth/user_agent.h"
#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/transport/http_client.h"

namespace postern::conformance {

// One thread; the references must outlive it.
class RedirectReader final : public bridge::UserAgent {
 public:
  RedirectReader(const Clock& clock, HttpClient& http) : clock_(clock), http_(http) {}
  // The suite's own, to which nobody listens.
  [[nodiscard]] Result<std::string> redirect_uri() override { return std::string("http://localhost:3000/callback"); }
  [[nodiscard]] Result<std::string> authorize(const Uri& authorization, std::stop_token stop) override;

 private:
  const Clock& clock_;
  HttpClient& http_;
};

}  // namespace postern::conformance
