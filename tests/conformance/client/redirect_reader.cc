#include "tests/conformance/client/redirect_reader.h"

#include "wire/oauth/authorization_code_grant.h"

namespace postern::conformance {

Result<std::string> RedirectReader::authorize(const Uri& authorization, std::stop_token stop) {
  HttpRequest request;
  request.method = "GET";
  POSTERN_TRY(const HttpResponse response, http_.send(authorization, request, clock_.steady_now() + Seconds(10), stop));
  const std::string* location = response.headers.find("Location");
  if (response.status < 300 || response.status > 399 || location == nullptr) {
    return MalformedAnswer{"the authorization endpoint did not redirect (status " + std::to_string(response.status) +
                           ")"};
  }
  return *location;
}

}  // namespace postern::conformance
