#include "wire/oauth/authorization_code_grant.h"

#include <algorithm>
#include <utility>

#include "wire/base/visible_text.h"
#include "wire/oauth/discovery_policy.h"

namespace postern {
namespace {

constexpr std::size_t kAnswerBytesMax = 8192;

// A person's browser reaches what the issuer does not: it may not send them there.
Status check_page(const AuthorizationServerMetadata& server) {
  POSTERN_TRY(const Uri page, check_authorization_endpoint(server.authorization_endpoint));
  POSTERN_TRY(const Uri issuer, parse_uri(server.issuer));
  const HostClass reached = class_of_host(page.host);
  const bool is_public = reached == HostClass::kPublic || reached == HostClass::kName;
  if (is_public || page.host == issuer.host || class_of_host(issuer.host) == HostClass::kLoopback) return {};
  return DiscoveryNotAllowed{
      visible_line(server.authorization_endpoint, 200),
      "it leads to this machine or a private address, and the issuer that names it is elsewhere"};
}

}  // namespace

AuthorizationCodeGrant::AuthorizationCodeGrant(AuthorizationCodeRequest request, Uri token_endpoint,
                                               CodeVerifier verifier, std::string state, std::string nonce)
    : request_(std::move(request)),
      token_endpoint_(std::move(token_endpoint)),
      verifier_(std::move(verifier)),
      state_(std::move(state)),
      nonce_(std::move(nonce)) {}

Result<AuthorizationCodeGrant> AuthorizationCodeGrant::begin(AuthorizationCodeRequest request, RandomSource& random) {
  POSTERN_TRY_VOID(request.server.require_pkce());
  POSTERN_TRY_VOID(check_page(request.server));
  POSTERN_TRY(Uri token_endpoint, parse_uri(request.server.token_endpoint));
  std::string nonce = request.with_nonce ? random_token(random, "", 16) : std::string();
  CodeVerifier verifier = make_code_verifier(random);
  return AuthorizationCodeGrant(std::move(request), std::move(token_endpoint), std::move(verifier),
                                random_token(random, "", 16), std::move(nonce));
}

FormFields AuthorizationCodeGrant::authorization_fields() const {
  FormFields fields = {{"response_type", "code"},
                       {"client_id", request_.client_id},
                       {"redirect_uri", request_.redirect_uri},
                       {"code_challenge", CodeChallenge::s256(verifier_).text()},
                       {"code_challenge_method", "S256"},
                       {"state", state_},
                       {"resource", request_.resource}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) fields.emplace_back(name, value);
  };
  add("scope", request_.scope.text());
  add("nonce", nonce_);
  if (request_.max_age_s) add("max_age", std::to_string(*request_.max_age_s));
  add("prompt", request_.prompt);
  add("login_hint", request_.login_hint);
  return fields;
}

std::string AuthorizationCodeGrant::authorization_url() const {
  const std::string& endpoint = request_.server.authorization_endpoint;
  const char* separator = endpoint.find('?') == std::string::npos ? "?" : "&";
  return endpoint + separator + form_encode(authorization_fields());
}

Result<AuthorizationCode> AuthorizationCodeGrant::accept_answer(std::string_view query) const {
  if (query.size() > kAnswerBytesMax) return MalformedAnswer{"it is too long"};
  auto fields = form_decode(query);
  if (!fields) return MalformedAnswer{"its parameters are not form-encoded"};
  std::optional<std::string> values[5];
  constexpr std::string_view kNames[5] = {"state", "iss", "error", "error_description", "code"};
  for (std::size_t i = 0; i < 5; ++i) {
    auto value = sole_field(*fields, kNames[i]);
    if (!value) return MalformedAnswer{"the parameter " + std::string(kNames[i]) + " occurs twice"};
    values[i] = *std::move(value);
  }
  const auto& [state, iss, error, description, code] = values;
  if (!state || !equal_in_constant_time(*state, state_)) return StateMismatch{};
  // RFC 9207 section 2.4: plain string comparison, before anything else of the answer is looked at.
  if (iss ? *iss != request_.server.issuer : request_.server.authorization_response_iss_parameter_supported) {
    return SignInIssuerMismatch{visible_line(request_.server.issuer, 200), !iss.has_value()};
  }
  if (error && code) return MalformedAnswer{"it carries both a code and an error"};
  if (error) return SignInDenied{visible_line(*error, 60), visible_line(description.value_or(""), 200)};
  if (!code || code->empty()) return MalformedAnswer{"it carries neither a code nor an error"};
  return AuthorizationCode::take(std::string(*code));
}

FormFields AuthorizationCodeGrant::token_fields(const AuthorizationCode& code) const {
  using Key = Passkey<AuthorizationCodeGrant>;
  return {{"grant_type", "authorization_code"},
          {"code", std::string(code.reveal(Key{}))},
          {"redirect_uri", request_.redirect_uri},
          {"code_verifier", std::string(verifier_.reveal(Key{}))},
          {"resource", request_.resource}};
}

HttpRequest AuthorizationCodeGrant::token_request(const AuthorizationCode& code) const {
  HttpRequest request;
  request.method = "POST";
  request.target = token_endpoint_.target();
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}};
  FormFields fields = token_fields(code);
  fields.emplace_back("client_id", request_.client_id);
  request.body = form_encode(fields);
  return request;
}

Result<TokenResponse> AuthorizationCodeGrant::accept_tokens(const HttpResponse& response) const {
  return read_token_response(response, request_.scope);
}

std::string MalformedAnswer::text() const {
  return "The issuer's answer cannot be used: " + reason + ". Nobody was signed in.";
}
std::string StateMismatch::text() const {
  return "The answer does not belong to a sign-in that was started here. Nobody was signed in. Start again.";
}
std::string SignInIssuerMismatch::text() const {
  return absent ? "The answer does not say that it comes from " + expected +
                      ", which always says so. Nobody was signed in."
                : "The answer comes from another issuer than " + expected + ". Nobody was signed in.";
}
std::string SignInDenied::text() const {
  return "The issuer refused the sign-in (" + error + ")" + (description.empty() ? "." : ": " + description);
}

}  // namespace postern
