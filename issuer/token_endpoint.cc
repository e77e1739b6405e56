#include "issuer/token_endpoint.h"

#include "issuer/failures.h"
#include "wire/base/json.h"
#include "wire/base/uri.h"

namespace postern::issuer {
namespace {

HttpResponse refuse(int status, std::string_view code, std::string_view description) {
  HttpResponse response =
      json_response(status, Json::object({{"error", code}, {"error_description", description}}).dump());
  response.headers.add("Pragma", "no-cache");
  return response;
}

struct TokenRequest {
  std::string grant_type, code, redirect_uri, client_id, code_verifier, resource;
};

Result<TokenRequest> read_fields(const FormFields& fields) {
  TokenRequest request;
  const std::pair<std::string_view, std::string*> wanted[] = {
      {"grant_type", &request.grant_type},       {"code", &request.code},
      {"redirect_uri", &request.redirect_uri},   {"client_id", &request.client_id},
      {"code_verifier", &request.code_verifier}, {"resource", &request.resource}};
  for (const auto& [name, value] : wanted) {
    auto field = sole_field(fields, name);
    if (!field) return OAuthError{"invalid_request", "The parameter " + std::string(name) + " is there twice."};
    *value = (*field).value_or("");
  }
  for (const std::string_view name : {"client_secret", "client_assertion", "client_assertion_type"}) {
    const auto field = sole_field(fields, name);
    if (!field || field->has_value()) return OAuthError{"invalid_client", "Clients do not authenticate here."};
  }
  return request;
}

}  // namespace

Result<Grant> TokenEndpoint::grant_of(const FormFields& fields) {
  POSTERN_TRY(const TokenRequest request, read_fields(fields));
  if (request.grant_type != "authorization_code") {
    return OAuthError{"unsupported_grant_type", "Only grant_type=authorization_code is offered here."};
  }
  if (request.code.empty()) return OAuthError{"invalid_request", "The parameter code is missing."};
  // From here on the code is spent, whatever else is wrong: a second try with a stolen code finds nothing.
  auto grant = codes_.take(request.code);
  if (!grant) return OAuthError{"invalid_grant", "The code is unknown, used already, or older than 60 seconds."};
  const AuthorizationRequest& asked = grant->request;
  if (request.client_id != asked.address.client->client_id) {
    return OAuthError{"invalid_grant", "The code was given to another client."};
  }
  if (request.redirect_uri != asked.address.redirect_uri) {
    return OAuthError{"invalid_grant", "redirect_uri is not the one of the authorization request."};
  }
  if (!asked.challenge.matches(request.code_verifier)) {
    return OAuthError{"invalid_grant", "code_verifier does not fit the code_challenge."};
  }
  if (request.resource != asked.resource) {
    return OAuthError{"invalid_target", "resource is not the one of the authorization request."};
  }
  return *std::move(grant);
}

HttpResponse TokenEndpoint::redeem(const HttpRequest& http) {
  if (http.headers.has("Authorization")) {
    HttpResponse response = refuse(401, "invalid_client", "Clients do not authenticate here.");
    response.headers.add("WWW-Authenticate", "Basic realm=\"postern-issuer\"");
    return response;
  }
  const std::string* type = http.headers.find("Content-Type");
  if (type == nullptr || media_type(*type) != "application/x-www-form-urlencoded") {
    return refuse(400, "invalid_request", "The body must be a form.");
  }
  const auto fields = form_decode(http.body);
  if (!fields) return refuse(400, "invalid_request", "The form is malformed.");
  const auto grant = grant_of(*fields);
  if (!grant) {
    const auto* error = grant.error().as<OAuthError>();
    if (error == nullptr) return refuse(500, "server_error", "Something went wrong here.");
    return refuse(error->code == "invalid_client" ? 401 : 400, error->code, error->description);
  }
  Json json = Json::object({{"access_token", tokens_.access_token(*grant)},
                            {"token_type", "Bearer"},
                            {"expires_in", std::int64_t{AccessTokenIssuer::kLifetime.count()}},
                            {"scope", grant->request.scope.text()},
                            {"name", grant->person.name}});
  if (grant->request.scope.contains("openid")) json.set("id_token", tokens_.id_token(*grant));
  HttpResponse response = json_response(200, json.dump());
  response.headers.add("Pragma", "no-cache");
  return response;
}

}  // namespace postern::issuer
