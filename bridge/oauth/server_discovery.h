// ServerDiscovery: from the URL of an MCP server to the authorization server that gives tokens for it (MCP 2026-07-28
// basic/authorization, "Authorization Server Discovery"; RFC 9728, RFC 8414).
//
// Nothing is remembered here. Not thread-safe. References must outlive it.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/oauth/discovery_policy.h"
#include "wire/oauth/metadata.h"
#include "wire/oauth/scope.h"
#include "wire/transport/http_client.h"

namespace postern::bridge {

struct DiscoveredServer {
  std::string resource;       // exactly as the server published it
  ScopeSet scopes_supported;  // of the resource
  AuthorizationServerMetadata server;
};

class ServerDiscovery {
 public:
  // `issuer` is the only one that may be used; empty: any that the server names.
  ServerDiscovery(HttpClient& server_http, HttpClient& issuer_http, Uri endpoint, std::string issuer);

  // `challenged_urls` are those of a challenge. Of the issuers that the server names: the configured one, otherwise
  // `preferred` (where this program is registered) when it is among them, otherwise the first whose metadata can be
  // had. Failures: sign_in.foreign_issuer, oauth.*, transport.*.
  [[nodiscard]] Result<DiscoveredServer> find(const std::vector<std::string>& challenged_urls,
                                              const std::string& preferred, SteadyTime deadline,
                                              const std::stop_token& stop);
  // The metadata of an issuer that was found before.
  [[nodiscard]] Result<AuthorizationServerMetadata> metadata_of(const std::string& issuer, SteadyTime deadline,
                                                                const std::stop_token& stop);

 private:
  HttpClient& server_http_;
  HttpClient& issuer_http_;
  Uri endpoint_;
  std::string issuer_;
  DiscoveryPolicy policy_;
};

}  // namespace postern::bridge
