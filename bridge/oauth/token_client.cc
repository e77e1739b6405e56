#include "bridge/oauth/token_client.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "bridge/oauth/client_assertion.h"
#include "bridge/oauth/dpop_key.h"
#include "bridge/oauth/failures.h"
#include "wire/base/bytes.h"
#include "wire/base/json.h"
#include "wire/base/replace_text.h"
#include "wire/base/secret.h"
#include "wire/base/uri.h"
#include "wire/base/visible_text.h"
#include "wire/oauth/discovery_policy.h"

namespace postern::bridge {
namespace {

constexpr JsonBounds kErrorBounds{16 * 1024, 8};
constexpr std::size_t kQuotedBytesMin = 8;  // a shorter secret could be any word

bool is_secret(std::string_view field) {
  constexpr std::string_view kSecretFields[] = {"code",          "code_verifier",   "refresh_token", "device_code",
                                                "assertion",     "subject_token",   "actor_token",   "token",
                                                "client_secret", "client_assertion"};
  return std::find(std::begin(kSecretFields), std::end(kSecretFields), field) != std::end(kSecretFields);
}

bool lists(const std::vector<std::string>& list, std::string_view value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// The first of the two ways with a secret that the server lists. When it lists neither, or nothing: Basic, which every
// server must take from a client with a password (RFC 6749 section 2.3.1; the default of RFC 8414 section 2).
ClientAuthentication with_secret(const AuthorizationServerMetadata& server) {
  for (const std::string& method : server.token_endpoint_auth_methods_supported) {
    if (method == "client_secret_basic") return ClientAuthentication::kSecretBasic;
    if (method == "client_secret_post") return ClientAuthentication::kSecretPost;
  }
  return ClientAuthentication::kSecretBasic;
}

ClientAuthentication chosen(const ClientIdentity& identity, const AuthorizationServerMetadata& server) {
  if (identity.authentication) return *identity.authentication;
  if (identity.key != nullptr &&
      (identity.secret.empty() || lists(server.token_endpoint_auth_methods_supported, "private_key_jwt"))) {
    return ClientAuthentication::kPrivateKeyJwt;
  }
  return identity.secret.empty() ? ClientAuthentication::kNone : with_secret(server);
}

Status fits(ClientAuthentication method, const ClientIdentity& identity, const AuthorizationServerMetadata& server) {
  const auto unfit = [&](std::string reason) -> Status {
    return NoClient{visible_line(server.issuer, 200), std::move(reason)};
  };
  if (identity.client_id.empty()) return unfit("it has no client id there; name one in the configuration");
  const bool wants_secret = method == ClientAuthentication::kSecretBasic || method == ClientAuthentication::kSecretPost;
  if (wants_secret && identity.secret.empty())
    return unfit("its registration wants a client secret, and the configuration has none");
  if (method != ClientAuthentication::kPrivateKeyJwt) return {};
  if (identity.key == nullptr) return unfit("its registration wants a private key, and the configuration has none");
  const auto& algorithms = server.token_endpoint_auth_signing_alg_values_supported;
  if (!algorithms.empty() && !lists(algorithms, "ES256"))
    return unfit("the issuer does not take ES256, the only algorithm that this program signs with");
  return {};
}

Result<Uri> admitted(const AuthorizationServerMetadata& server, const std::string& url) {
  POSTERN_TRY(Uri issuer, parse_uri(server.issuer));
  return DiscoveryPolicy(std::move(issuer)).admit(url);
}

HttpRequest form_post(FormFields& fields) {
  HttpRequest request;
  request.method = "POST";
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}};
  request.body = form_encode(fields);
  for (auto& field : fields) wipe(field.second);
  return request;
}

void wipe_all(HttpRequest& request) {
  request.headers.wipe_all();
  wipe(request.body);
}

// What was sent and opens something.
std::vector<std::string> secrets_in(const HttpRequest& request) {
  std::vector<std::string> secrets;
  const auto keep = [&](std::string_view secret) {
    if (secret.size() < kQuotedBytesMin) return;
    secrets.emplace_back(secret);
    if (std::string encoded = percent_encode(secret); encoded != secret) secrets.push_back(std::move(encoded));
  };
  if (const std::string* header = request.headers.find("Authorization")) keep(header->substr(header->find(' ') + 1));
  auto fields = form_decode(request.body);
  if (!fields) return secrets;
  for (auto& [name, value] : *fields) {
    if (is_secret(name)) keep(value);
    wipe(value);
  }
  return secrets;
}

// An issuer may quote in its description of an error what was sent to it (RFC 6749 section 5.2), and that is shown on
// screens and kept in reports. Of the body only what is read of a refusal stays.
void withhold_what_was_sent(HttpResponse& response, const HttpRequest& request, std::string_view client_secret) {
  const auto json = parse_json(response.body, kErrorBounds);
  if (!json || !json->is_object()) return wipe(response.body);
  std::vector<std::string> secrets = secrets_in(request);
  if (client_secret.size() >= kQuotedBytesMin) secrets.emplace_back(client_secret);
  Json kept = Json::object();
  for (const char* name : {"error", "error_description"}) {
    std::string text(json->string_at(name));
    for (const std::string& secret : secrets) replace_all(text, secret, "[withheld]");
    if (!text.empty()) kept.set(name, std::move(text));
  }
  for (std::string& secret : secrets) wipe(secret);
  wipe(response.body);
  response.body = kept.dump();
}

std::string error_of(const HttpResponse& response) {
  const auto json = parse_json(response.body, kErrorBounds);
  return json ? visible_line(json->string_at("error"), 60) : std::string();
}

}  // namespace

TokenClient::TokenClient(Env env, HttpClient& issuer_http, const AuthorizationServerMetadata& server,
                         const ClientIdentity& identity, DpopKey* dpop)
    : env_(env), issuer_http_(issuer_http), server_(server), identity_(identity), dpop_(dpop) {}

Result<HttpRequest> TokenClient::authenticated(const FormFields& grant) const {
  using Key = Passkey<TokenClient>;
  const ClientAuthentication method = chosen(identity_, server_);
  POSTERN_TRY_VOID(fits(method, identity_, server_));
  FormFields fields = grant;
  // RFC 6749 section 2.3: one way for each request, so the id stands in the body only when it is not in the header.
  if (method != ClientAuthentication::kSecretBasic) fields.emplace_back("client_id", identity_.client_id);
  if (method == ClientAuthentication::kSecretPost)
    fields.emplace_back("client_secret", std::string(identity_.secret.reveal(Key{})));
  if (method == ClientAuthentication::kPrivateKeyJwt) {
    for (auto& field : client_assertion_fields(identity_, server_.issuer, env_)) fields.push_back(std::move(field));
  }
  HttpRequest request = form_post(fields);
  if (method == ClientAuthentication::kSecretBasic) {
    // Section 2.3.1: both are form-encoded before they are joined, or an id with a colon would be read wrongly.
    std::string pair = percent_encode(identity_.client_id) + ":";
    pair += percent_encode(identity_.secret.reveal(Key{}));
    request.headers.add("Authorization", "Basic " + base64(pair));
    wipe(pair);
  }
  return request;
}

Result<HttpResponse> TokenClient::post(const std::string& endpoint, FormFields fields, DpopKey* dpop,
                                       SteadyTime deadline, const std::stop_token& stop) {
  const auto send = [&]() -> Result<HttpResponse> {
    POSTERN_TRY(const Uri url, admitted(server_, endpoint));
    // Twice at most: RFC 9449 section 8 has a server ask for a nonce before it looks at the grant, which is not spent
    // then.
    for (int attempt = 0;; ++attempt) {
      POSTERN_TRY(HttpRequest request, authenticated(fields));
      if (dpop != nullptr) dpop->prove(request, url);
      auto response = issuer_http_.send(url, request, deadline, stop);
      if (response && response->status != 200)
        withhold_what_was_sent(*response, request, identity_.secret.reveal(Passkey<TokenClient>{}));
      wipe_all(request);
      if (!response) return response;
      const bool wants_nonce = dpop != nullptr && dpop->take_note(url, *response);
      if (!wants_nonce || attempt > 0) return response;
    }
  };
  auto response = send();
  for (auto& field : fields) wipe(field.second);
  return response;
}

Result<TokenResponse> TokenClient::request(FormFields grant, const ScopeSet& asked, SteadyTime deadline,
                                           const std::stop_token& stop) {
  POSTERN_TRY(HttpResponse response, post(server_.token_endpoint, std::move(grant), dpop_, deadline, stop));
  auto tokens = read_token_response(response, asked);
  wipe(response.body);
  if (!tokens) return tokens;
  // RFC 9449 section 5: a token that is not bound, where a bound one was wanted, is dropped.
  if (dpop_ != nullptr && tokens->token_type != "DPoP")
    return MalformedTokens{"a token bound to this program's key was asked for, and this one is not"};
  if (dpop_ == nullptr && tokens->token_type == "DPoP")
    return MalformedTokens{"its token is bound to a key, and no key was shown to the issuer"};
  return tokens;
}

Result<Assertion> TokenClient::exchange(FormFields grant, std::string_view issued_token_type, SteadyTime deadline,
                                        const std::stop_token& stop) {
  POSTERN_TRY(HttpResponse response, post(server_.token_endpoint, std::move(grant), nullptr, deadline, stop));
  auto assertion = read_exchanged_assertion(response, issued_token_type);
  wipe(response.body);
  return assertion;
}

Result<DeviceAuthorization> TokenClient::authorize_device(const std::string& resource, const ScopeSet& scope,
                                                          SteadyTime deadline, const std::stop_token& stop) {
  FormFields fields;
  if (!resource.empty()) fields.emplace_back("resource", resource);
  if (!scope.empty()) fields.emplace_back("scope", scope.text());
  POSTERN_TRY(HttpResponse response,
              post(server_.device_authorization_endpoint, std::move(fields), nullptr, deadline, stop));
  auto device = read_device_authorization(response);
  wipe(response.body);
  return device;
}

Result<TokenResponse> TokenClient::refresh(const RefreshToken& token, const std::string& resource,
                                           const ScopeSet& scope, SteadyTime deadline, const std::stop_token& stop) {
  FormFields grant = {{"grant_type", "refresh_token"},
                      {"refresh_token", std::string(token.reveal(Passkey<TokenClient>{}))}};
  if (!resource.empty()) grant.emplace_back("resource", resource);
  if (!scope.empty()) grant.emplace_back("scope", scope.text());
  return request(std::move(grant), scope, deadline, stop);
}

Status TokenClient::revoke(const AccessToken& token, SteadyTime deadline, const std::stop_token& stop) {
  return revoke({{"token", std::string(token.reveal(Passkey<TokenClient>{}))}, {"token_type_hint", "access_token"}},
                deadline, stop);
}

Status TokenClient::revoke(const RefreshToken& token, SteadyTime deadline, const std::stop_token& stop) {
  return revoke({{"token", std::string(token.reveal(Passkey<TokenClient>{}))}, {"token_type_hint", "refresh_token"}},
                deadline, stop);
}

Status TokenClient::revoke(FormFields fields, SteadyTime deadline, const std::stop_token& stop) {
  if (server_.revocation_endpoint.empty()) return {};
  POSTERN_TRY(const HttpResponse response,
              post(server_.revocation_endpoint, std::move(fields), nullptr, deadline, stop));
  // RFC 7009 section 2.2: 200 also for a token that the server does not know.
  if (response.status == 200) return {};
  return RevocationRefused{visible_line(server_.issuer, 200), response.status, error_of(response)};
}

}  // namespace postern::bridge
