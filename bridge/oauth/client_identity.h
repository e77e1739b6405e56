// ClientIdentity: how this program is known at one authorization server, and ClientRegistrar: how it comes to be
// (MCP 2026-07-28 basic/authorization/client-registration).
//
// In this order, each only when the configuration allows it: registered beforehand; a Client ID Metadata Document, when
// the server says that it reads them; dynamic registration (RFC 7591), when the server offers it. An identity belongs
// to the issuer that it was made at and is never shown to another: when a server moves to another issuer, one that was
// registered beforehand is an error, and a dynamic one is made anew.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/base/secret.h"
#include "wire/env/env.h"
#include "wire/oauth/metadata.h"
#include "wire/signing/es256_signer.h"
#include "wire/transport/http_client.h"

namespace postern::bridge {

class TokenClient;
class ClientRegistrar;
class CredentialsWriter;

// Opened to be shown to the token endpoint of its issuer, and to be kept in the store of credentials.
struct ClientSecretTag {
  using RevealedBy = Reveals<TokenClient, ClientRegistrar, CredentialsWriter>;
};
using ClientSecret = Secret<ClientSecretTag>;

// How a client authenticates at the token endpoint (RFC 6749 section 2.3, RFC 7523 section 2.2).
enum class ClientAuthentication { kNone, kSecretBasic, kSecretPost, kPrivateKeyJwt };
// "none", "client_secret_basic", "client_secret_post", "private_key_jwt"; nothing for another.
[[nodiscard]] std::optional<ClientAuthentication> client_authentication_of(std::string_view method);
[[nodiscard]] std::string_view text_of(ClientAuthentication method);

struct ClientIdentity {
  std::string issuer;  // where it is known; empty: at whichever issuer the server names first
  std::string client_id;
  // Unset, with a secret: what the server's metadata lists first of the two; without: none.
  std::optional<ClientAuthentication> authentication;
  ClientSecret secret;                     // empty: none
  std::shared_ptr<const Es256Signer> key;  // of private_key_jwt; null: none
  std::string key_id;                      // "kid" of it; empty: left out
  // Of a dynamic registration: what it was made for. Empty: not known.
  std::vector<std::string> redirect_uris;

  [[nodiscard]] ClientIdentity duplicate() const;
};

class CredentialStore;

struct ClientRegistrationOptions {
  std::optional<ClientIdentity> registered;  // beforehand
  // Of a Client ID Metadata Document: https with a path, and the client id byte for byte. Empty: there is none.
  std::string metadata_document_url;
  bool dynamic = false;                 // whether RFC 7591 may be used
  std::string client_name = "Postern";  // what dynamic registration says of us
};

// What the flow that is about to start needs a client to be registered for.
struct ClientNeeds {
  std::vector<std::string> redirect_uris;  // of the code grant
  std::vector<std::string> grant_types;    // "authorization_code", "refresh_token"
};

// Not thread-safe: its OAuthClient holds a lock.
class ClientRegistrar {
 public:
  // `issuer_http` speaks to the issuer; `store` keeps dynamic registrations. References must outlive it.
  ClientRegistrar(Env env, HttpClient& issuer_http, CredentialStore& store, ClientRegistrationOptions options);

  // The identity at the server that `metadata` describes, registered now if need be. Failures: sign_in.foreign_issuer,
  // sign_in.no_client (none of the ways is open; the text says which would be), sign_in.registration_refused,
  // oauth.discovery_not_allowed, transport.*, and those of the store.
  [[nodiscard]] Result<ClientIdentity> identity_at(const AuthorizationServerMetadata& metadata,
                                                   const ClientNeeds& needs, SteadyTime deadline,
                                                   const std::stop_token& stop);
  // The identity that there is already, whatever it was made for: to renew or revoke what it got. Nothing when there
  // is none.
  [[nodiscard]] Result<std::optional<ClientIdentity>> known_at(const AuthorizationServerMetadata& metadata);
  // The issuer no longer knows the client (invalid_client): a dynamic registration is forgotten. True when there was
  // one.
  [[nodiscard]] bool forget(const std::string& issuer);
  // The issuer that the client was registered at beforehand; empty: none was, or none is named.
  [[nodiscard]] const std::string& registered_issuer() const { return registered_issuer_; }

 private:
  [[nodiscard]] Result<ClientIdentity> register_at(const AuthorizationServerMetadata& metadata,
                                                   const ClientNeeds& needs, SteadyTime deadline,
                                                   const std::stop_token& stop);

  Env env_;
  HttpClient& issuer_http_;
  CredentialStore& store_;
  ClientRegistrationOptions options_;
  // Of the client that was registered beforehand: what the configuration says, otherwise where it was used first. It is
  // shown nowhere else.
  std::string registered_issuer_;
};

}  // namespace postern::bridge
