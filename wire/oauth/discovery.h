// Fetches metadata and keys: the one place where a URL of a stranger meets the HTTP client, each after the policy's
// word.
//
// Every call blocks until its deadline at most. Failures: those of the client, of the documents,
// oauth.discovery_not_allowed, and oauth.discovery_failed when no place has the document.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/oauth/discovery_policy.h"
#include "wire/oauth/jwk.h"
#include "wire/oauth/metadata.h"
#include "wire/transport/http_client.h"

namespace postern {

// `challenged_url` is the resource_metadata of a challenge: when it is there it is the only place (MCP 2026-07-28,
// discovery order). The document must name `endpoint` itself; the root form, tried last, must name the bare origin.
[[nodiscard]] Result<ProtectedResourceMetadata> fetch_protected_resource_metadata(
    HttpClient& client, std::string_view endpoint, const std::optional<std::string>& challenged_url,
    const DiscoveryPolicy& policy, SteadyTime deadline, const std::stop_token& stop = {});

// Tries the well-known places of the issuer in their order; a 4xx leads to the next.
[[nodiscard]] Result<AuthorizationServerMetadata> fetch_authorization_server_metadata(HttpClient& client,
                                                                                      std::string_view issuer,
                                                                                      const DiscoveryPolicy& policy,
                                                                                      SteadyTime deadline,
                                                                                      const std::stop_token& stop = {});

// jwks_uri must be at the issuer's own origin.
[[nodiscard]] Result<JwkSet> fetch_jwk_set(HttpClient& client, const AuthorizationServerMetadata& server,
                                           const DiscoveryPolicy& policy, SteadyTime deadline,
                                           const std::stop_token& stop = {});

struct DiscoveryFailed {
  static constexpr std::string_view kId = "oauth.discovery_failed";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string document;  // "authorization server metadata"
  std::string where;     // the last place that was tried
  std::string reason;    // "status 404"
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
