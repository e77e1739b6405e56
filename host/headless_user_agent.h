// HeadlessUserAgent: signs a person in at the training issuer of a local run, without a browser.
//
// The authorization request is POSTed, with the person and the secret that this run's parent made, to the issuer's
// /headless; the answer is the redirect, which is read and never fetched. It stays on the issuer's origin. The issuer
// gives this way to the host's client only, and never for refunds:approve (boundary.md; decisions 15). For the profile
// local only. One thread; the client must outlive it.
#pragma once

#include <stop_token>
#include <string>

#include "bridge/oauth/user_agent.h"
#include "host/local_stack.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/transport/http_client.h"

namespace postern::host {

class HeadlessUserAgent final : public bridge::UserAgent {
 public:
  HeadlessUserAgent(const Clock& clock, HttpClient& http, Uri issuer, std::string person, HeadlessSecret secret);

  [[nodiscard]] Result<std::string> redirect_uri() override;
  // Failures: sign_in.headless_refused, transport.*.
  [[nodiscard]] Result<std::string> authorize(const Uri& authorization, std::stop_token stop) override;

 private:
  const Clock& clock_;
  HttpClient& http_;
  Uri issuer_;
  std::string person_;
  HeadlessSecret secret_;
};

struct HeadlessRefused {
  static constexpr std::string_view kId = "sign_in.headless_refused";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kForbidden;
  std::string person;
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::host
