// EnvironmentBearer: a bearer token that stands in a variable of the environment, sent as it is to one server.
//
// For servers that give out tokens by hand. It goes to the origin of that server only, is never renewed, and a server
// that does not take it ends the request: nobody is asked to sign in instead. Immutable but for its moves; thread-safe.
#pragma once

#include <stop_token>
#include <string>

#include "bridge/oauth/request_authorizer.h"
#include "host/config.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/oauth/access_token.h"

namespace postern::host {

class EnvironmentBearer final : public bridge::RequestAuthorizer {
 public:
  // own.config_invalid when the variable is not set, or holds what no token holds (RFC 6750 section 2.1).
  [[nodiscard]] static Result<EnvironmentBearer> read(const Environment& environment, const ServerConfig& server,
                                                      const Uri& endpoint);

  [[nodiscard]] Status authorize(HttpRequest& request, const Uri& url, const std::stop_token& stop) override;
  [[nodiscard]] Status sign_in(const HttpResponse& refusal, const std::stop_token& stop) override;
  [[nodiscard]] Status step_up(const std::string& www_authenticate, const std::stop_token& stop) override;

 private:
  EnvironmentBearer(AccessToken token, std::string origin, std::string variable)
      : token_(std::move(token)), origin_(std::move(origin)), variable_(std::move(variable)) {}
  AccessToken token_;
  std::string origin_;
  std::string variable_;
};

// The server does not take the token, or wants more than it is good for.
struct BearerRefused {
  static constexpr std::string_view kId = "sign_in.bearer_refused";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kForbidden;
  std::string variable;
  std::string answer;  // "401", "403 insufficient_scope"
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::host
