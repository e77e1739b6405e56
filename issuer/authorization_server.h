// The training issuer: an OAuth 2.1 authorization server for one machine (RFC 6749, 7009, 7591, 7636, 8414, 8628, 8707,
// 9068, 9207).
//
//   GET  /authorize   checks the request and shows the people        POST /authorize   somebody was chosen
//   POST /consent     that person allowed or denied
//   POST /token       tokens for a code, a refresh token, a device code
//   POST /revoke      a client gives a token back                    GET  /jwks        public keys
//   POST /device_authorization   a device asks                       GET, POST /device the person enters its code
//   POST /register    a client registers itself, where that is configured
//   GET  /.well-known/oauth-authorization-server, /.well-known/openid-configuration
//   POST /headless    sign-in without a browser, for the local profile: see HeadlessEndpoint
//
// It stands in for a real one: a person is chosen, no password is asked. What it enforces is real. Every request must
// name this issuer as its Host; a POST of a page must come from this issuer's own origin. Everything is in memory and
// bounded. Thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "issuer/clients.h"
#include "issuer/people.h"
#include "issuer/scope_rules.h"
#include "issuer/stranger_rules.h"
#include "wire/base/result.h"
#include "wire/env/env.h"
#include "wire/signing/es256_signer.h"
#include "wire/transport/http_client.h"
#include "wire/transport/http_server.h"

namespace postern::issuer {

struct AuthorizationServerOptions {
  std::string issuer;  // "http://127.0.0.1:8930": http, a loopback address, no path
  Clients clients;
  People people;
  // SHA-256 of the secret that the parent handed over at start; empty: there is no headless way.
  std::string headless_secret_sha256;
  ScopeSet default_scope{};    // of a request that names none, within what its client may ask for; empty: refused
  StrangerRules strangers{};   // by default nobody registers, and no document is fetched
  HttpClient* http = nullptr;  // for metadata documents; must outlive the server. Null: none is fetched
  // The first key to sign with. Nothing: one is made here, which is what the program does, as no launch document names
  // a key.
  std::optional<Es256Signer> first_key{};
  std::span<const ScopeRule> scope_rules = product_scope_rules();
};

class AuthorizationServer {
 public:
  // Refuses an issuer that is not http on a loopback address: issuer.bad_configuration.
  [[nodiscard]] static Result<AuthorizationServer> make(Env env, AuthorizationServerOptions options);
  AuthorizationServer(AuthorizationServer&&) noexcept;
  AuthorizationServer& operator=(AuthorizationServer&&) noexcept;
  ~AuthorizationServer();

  // The handlers refer to this object's inside, which outlives a move but not the object.
  [[nodiscard]] Routes routes();
  // Publishes a new signing key, which signs ten minutes later; the old one stays published until its tokens are over.
  void rotate_keys();

 private:
  struct Impl;
  explicit AuthorizationServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace postern::issuer
