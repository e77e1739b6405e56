#include "issuer/headless_endpoint.h"

#include <algorithm>

#include "issuer/failures.h"
#include "wire/base/digest.h"
#include "wire/base/json.h"
#include "wire/base/secret.h"
#include "wire/base/uri.h"
#include "wire/base/visible_text.h"

namespace postern::issuer {
namespace {

HttpResponse refuse(int status, std::string_view code, std::string_view description) {
  return json_response(status, Json::object({{"error", code}, {"error_description", description}}).dump());
}

bool is_from_a_browser(const HttpRequest& request) {
  return request.headers.has("Origin") || request.headers.has("Sec-Fetch-Site") ||
         request.headers.has("Sec-Fetch-Mode");
}

std::string take_field(FormFields& fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.first == name; });
  if (found == fields.end()) return "";
  std::string value = std::move(found->second);
  fields.erase(found);
  return value;
}

}  // namespace

bool HeadlessEndpoint::secret_is_right(std::string_view secret) const {
  return !secret_sha256_.empty() && equal_in_constant_time(sha256(secret), secret_sha256_);
}

Result<CodeGrant> HeadlessEndpoint::grant_of(const ReturnAddress& address, const FormFields& fields,
                                             std::string_view person) const {
  if (!address.client->headless) {
    return OAuthError{"unauthorized_client",
                      "The client " + address.client->client_id + " signs in with a browser only."};
  }
  POSTERN_TRY(AuthorizationRequest request, read_authorization_request(address, fields, desk_.scopes));
  POSTERN_TRY_VOID(desk_.scopes.check({*address.client, nullptr, true, request.scope}));
  const Person* found = desk_.people.find(person);
  if (found == nullptr) return OAuthError{"access_denied", "There is no person " + visible_line(person, 40) + " here."};
  POSTERN_TRY_VOID(desk_.scopes.check({*address.client, found, true, request.scope}));
  Grant grant = make_grant(desk_.env.random, request, *found, desk_.env.clock.now());
  return CodeGrant{std::move(grant), address.redirect_uri, *request.challenge};
}

HttpResponse HeadlessEndpoint::sign_in(const HttpRequest& http) {
  if (secret_sha256_.empty()) return refuse(404, "access_denied", "This issuer was started without a headless way.");
  if (is_from_a_browser(http)) return refuse(403, "access_denied", "The headless way is not for browsers.");
  const std::string* type = http.headers.find("Content-Type");
  if (type == nullptr || media_type(*type) != "application/x-www-form-urlencoded") {
    return refuse(415, "invalid_request", "The body must be a form.");
  }
  auto fields = form_decode(http.body);
  if (!fields) return refuse(400, "invalid_request", fields.error().text());
  std::string secret = take_field(*fields, "secret");
  const std::string person = take_field(*fields, "person");
  const bool right = secret_is_right(secret);
  wipe(secret);
  if (!right) return refuse(403, "access_denied", "The headless secret is not the one of this issuer.");
  const auto address = read_return_address(desk_.clients, *fields);
  if (!address) return refuse(400, "invalid_request", address.error().text());
  auto grant = grant_of(*address, *fields, person);
  if (grant)
    return redirect_response(answer_location(*address, desk_.issuer, {{"code", desk_.codes.issue(*std::move(grant))}}));
  const auto* error = grant.error().as<OAuthError>();
  if (error == nullptr) return refuse(500, "server_error", "Something went wrong here.");
  return redirect_response(answer_location(
      *address, desk_.issuer, {{"error", std::string(error->code)}, {"error_description", error->description}}));
}

}  // namespace postern::issuer
