#include "bridge/oauth/request_authorizer.h"

#include "bridge/oauth/failures.h"

namespace postern::bridge {

Status NoAuthorizer::authorize(HttpRequest& /*request*/, const Uri& /*url*/, const std::stop_token& /*stop*/) {
  return {};
}

Status NoAuthorizer::sign_in(const HttpResponse& /*refusal*/, const std::stop_token& /*stop*/) {
  return SignInNotConfigured{};
}

Status NoAuthorizer::step_up(const std::string& /*www_authenticate*/, const std::stop_token& /*stop*/) {
  return SignInNotConfigured{};
}

}  // namespace postern::bridge
