// One sign-in by the authorization code grant (OAuth 2.1, PKCE S256, RFC 8707 resource, RFC 9207 issuer
// identification).
//
// begin() makes state, verifier and nonce and keeps what was asked; the answer and the token response are checked
// against that record and nothing else. One object is one sign-in: keep it until its answer came, use it once, drop it.
// Move-only; not thread-safe.
//
//   POSTERN_TRY(auto grant, AuthorizationCodeGrant::begin(request, random));
//   ... a person or the headless agent goes to grant.authorization_url() ...
//   POSTERN_TRY(auto code, grant.accept_answer(query_of_the_redirect));
//   POSTERN_TRY(auto reply, client.send(grant.token_endpoint(), grant.token_request(code), deadline));
//   POSTERN_TRY(auto tokens, grant.accept_tokens(reply));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wire/base/random_source.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/http_message/http_message.h"
#include "wire/oauth/access_token.h"
#include "wire/oauth/metadata.h"
#include "wire/oauth/pkce.h"
#include "wire/oauth/scope.h"
#include "wire/oauth/token_response.h"

namespace postern {

struct AuthorizationCodeRequest {
  AuthorizationServerMetadata server;  // checked: its issuer is the one that was asked for
  std::string client_id;
  std::string redirect_uri;
  std::string resource;
  ScopeSet scope;                         // left out of the request when empty
  bool with_nonce = false;                // when scope holds openid
  std::optional<std::int64_t> max_age_s;  // OpenID Connect Core section 3.1.2.1
  std::string prompt;                     // left out when empty
  std::string login_hint;                 // a hint for foreign issuers; ours ignores it
};

class AuthorizationCodeGrant {
 public:
  // Refuses a server without PKCE (oauth.no_pkce) and an authorization endpoint that must not be opened
  // (oauth.discovery_not_allowed).
  [[nodiscard]] static Result<AuthorizationCodeGrant> begin(AuthorizationCodeRequest request, RandomSource& random);

  [[nodiscard]] std::string authorization_url() const;
  // The same as form fields, for the headless way.
  [[nodiscard]] FormFields authorization_fields() const;
  [[nodiscard]] const std::string& state() const { return state_; }
  [[nodiscard]] const std::string& nonce() const { return nonce_; }  // empty without with_nonce
  [[nodiscard]] const AuthorizationCodeRequest& request() const { return request_; }
  [[nodiscard]] const Uri& token_endpoint() const { return token_endpoint_; }

  // `query` of the redirect, without "?". The order of the checks is the specification's: state, then iss, and only
  // then code or error. Failures: sign_in.malformed_answer, sign_in.state_mismatch, sign_in.issuer_mismatch,
  // sign_in.denied.
  [[nodiscard]] Result<AuthorizationCode> accept_answer(std::string_view query) const;

  // What the token endpoint wants of this grant, without the client's own part: they hold the code and the verifier.
  [[nodiscard]] FormFields token_fields(const AuthorizationCode& code) const;
  // The same as a POST of a public client, resource named again. Its body holds the code and the verifier: send it
  // there and nowhere else.
  [[nodiscard]] HttpRequest token_request(const AuthorizationCode& code) const;
  // Failures: those of read_token_response().
  [[nodiscard]] Result<TokenResponse> accept_tokens(const HttpResponse& response) const;

 private:
  AuthorizationCodeGrant(AuthorizationCodeRequest request, Uri token_endpoint, CodeVerifier verifier, std::string state,
                         std::string nonce);
  AuthorizationCodeRequest request_;
  Uri token_endpoint_;
  CodeVerifier verifier_;
  std::string state_;
  std::string nonce_;
};

struct MalformedAnswer {
  static constexpr std::string_view kId = "sign_in.malformed_answer";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  std::string reason;
  [[nodiscard]] std::string text() const;
};
struct StateMismatch {
  static constexpr std::string_view kId = "sign_in.state_mismatch";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  [[nodiscard]] std::string text() const;
};
// Nothing of the answer is repeated: on a mix-up its error texts are the attacker's.
struct SignInIssuerMismatch {
  static constexpr std::string_view kId = "sign_in.issuer_mismatch";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  std::string expected;
  bool absent = false;  // the issuer says that it always sends iss, and there was none
  [[nodiscard]] std::string text() const;
};
// The issuer said no.
struct SignInDenied {
  static constexpr std::string_view kId = "sign_in.denied";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kForbidden;
  std::string error;        // "invalid_scope", made visible
  std::string description;  // made visible; empty when there was none
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
