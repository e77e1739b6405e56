// Fetches metadata and keys: the one place where a URL of a stranger meets the HTTP client, each after the policy's
// word.
//
// Every call blocks until its deadline at most. Failures: those of the client, of the documents,
// oauth.discovery_not_allowed, and oauth.discovery_failed when no place has the document.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/oauth/discovery_policy.h"
#include "wire/oauth/jwk.h"
#include "wire/oauth/metadata.h"
#include "wire/transport/http_client.h"

namespace postern {

// The document of the resource at `endpoint`, from the places of protected_resource_metadata_places(). A place that has
// none leads to the next; of several challenged places one that fails in another way does too, and its failure is given
// when no other has the document.
[[nodiscard]] Result<ProtectedResourceMetadata> fetch_protected_resource_metadata(
    HttpClient& client, std::string_view endpoint, const std::vector<std::string>& challenged_urls,
    const DiscoveryPolicy& policy, SteadyTime deadline, const std::stop_token& stop = {});

// Tries the well-known places of the issuer in their order. A place has none when it answers with a 4xx, a redirect
// (which is not followed) or something that is no JSON, as web servers do that have a page for every path.
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
