#include "issuer/client_answer.h"

#include "issuer/authorization_request.h"
#include "issuer/failures.h"
#include "wire/base/visible_text.h"

namespace postern::issuer {

Result<FormFields> read_client_form(const HttpRequest& request) {
  const std::string* type = request.headers.find("Content-Type");
  if (type == nullptr || media_type(*type) != "application/x-www-form-urlencoded") {
    return OAuthError{"invalid_request", "The body must be a form."};
  }
  auto fields = form_decode(request.body);
  if (!fields) return OAuthError{"invalid_request", "The form is malformed."};
  if (const std::string* name = repeated_name(*fields)) {
    return OAuthError{"invalid_request", "The parameter " + visible_line(*name, 40) + " is there twice."};
  }
  return fields;
}

HttpResponse client_answer(int status, const Json& json) {
  HttpResponse response = json_response(status, json.dump());
  response.headers.add("Pragma", "no-cache");
  return response;
}

HttpResponse client_error(const Failure& failure) {
  const auto* error = failure.as<OAuthError>();
  if (error == nullptr) {
    return client_answer(
        500, Json::object({{"error", "server_error"}, {"error_description", "Something went wrong here."}}));
  }
  const bool unknown = error->code == "invalid_client";
  HttpResponse response = client_answer(
      unknown ? 401 : 400, Json::object({{"error", error->code}, {"error_description", error->description}}));
  if (unknown) response.headers.add("WWW-Authenticate", "Basic realm=\"postern-issuer\"");
  return response;
}

HttpResponse client_busy(Seconds retry_after) {
  HttpResponse response = client_answer(
      429, Json::object({{"error", "temporarily_unavailable"},
                         {"error_description", "Too many of these came in a short time. Try again in a minute."}}));
  response.headers.set("Retry-After", std::to_string(retry_after.count()));
  return response;
}

}  // namespace postern::issuer
