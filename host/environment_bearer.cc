#include "host/environment_bearer.h"

#include "wire/oauth/authorization_header.h"

namespace postern::host {
namespace {

constexpr std::size_t kTokenBytesMax = 16 * 1024;

}  // namespace

Result<EnvironmentBearer> EnvironmentBearer::read(const Environment& environment, const ServerConfig& server,
                                                  const Uri& endpoint) {
  auto value = environment.get(server.bearer_token_env);
  const std::string place = server.where + ", mcpServers." + server.name + ".bearer_token_env";
  if (!value) return ConfigInvalid{place, "the variable " + server.bearer_token_env + " is not set"};
  if (value->size() > kTokenBytesMax || !is_bearer_token(*value)) {
    wipe(*value);
    return ConfigInvalid{place, "what the variable " + server.bearer_token_env +
                                    " holds is no bearer token: letters, digits and -._~+/= only"};
  }
  return EnvironmentBearer(AccessToken::take(*std::move(value)), endpoint.origin(), server.bearer_token_env);
}

Status EnvironmentBearer::authorize(HttpRequest& request, const Uri& url, const std::stop_token& /*stop*/) {
  if (url.origin() == origin_) AuthorizationHeader::write(request.headers, token_);
  return {};
}

Status EnvironmentBearer::sign_in(const HttpResponse& /*refusal*/, const std::stop_token& /*stop*/) {
  return BearerRefused{variable_, "401"};
}

Status EnvironmentBearer::step_up(const std::string& /*www_authenticate*/, const std::stop_token& /*stop*/) {
  return BearerRefused{variable_, "403 insufficient_scope"};
}

std::string BearerRefused::text() const {
  return "The server does not take the token of the variable " + variable + " for this (" + answer +
         "). Put a valid one there, with what it is to be good for.";
}

}  // namespace postern::host
