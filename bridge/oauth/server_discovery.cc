#include "bridge/oauth/server_discovery.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "bridge/oauth/failures.h"
#include "wire/base/visible_text.h"
#include "wire/oauth/discovery.h"

namespace postern::bridge {
namespace {

constexpr std::size_t kIssuersTriedMax = 4;  // each is up to three requests

DiscoveryPolicy policy_for(const Uri& endpoint, const std::string& issuer) {
  std::vector<Uri> configured;
  if (auto uri = parse_uri(issuer)) configured.push_back(*std::move(uri));
  return DiscoveryPolicy(endpoint, std::move(configured));
}

}  // namespace

ServerDiscovery::ServerDiscovery(HttpClient& server_http, HttpClient& issuer_http, Uri endpoint, std::string issuer)
    : server_http_(server_http),
      issuer_http_(issuer_http),
      endpoint_(std::move(endpoint)),
      issuer_(std::move(issuer)),
      policy_(policy_for(endpoint_, issuer_)) {}

Result<DiscoveredServer> ServerDiscovery::find(const std::vector<std::string>& challenged_urls,
                                               const std::string& preferred, SteadyTime deadline,
                                               const std::stop_token& stop) {
  POSTERN_TRY(
      ProtectedResourceMetadata resource,
      fetch_protected_resource_metadata(server_http_, endpoint_.text(), challenged_urls, policy_, deadline, stop));
  std::vector<std::string> issuers = resource.authorization_servers;
  const auto named = [&](const std::string& issuer) {
    return std::find(issuers.begin(), issuers.end(), issuer) != issuers.end();
  };
  if (!issuer_.empty()) {
    if (!named(issuer_)) return ForeignIssuer{issuer_, visible_line(issuers.front(), 200)};
    issuers = {issuer_};
  } else if (!preferred.empty() && named(preferred)) {
    issuers = {preferred};
  }
  if (issuers.size() > kIssuersTriedMax) issuers.resize(kIssuersTriedMax);
  std::optional<Failure> first;
  for (const std::string& issuer : issuers) {
    auto server = metadata_of(issuer, deadline, stop);
    if (server)
      return DiscoveredServer{std::move(resource.resource), std::move(resource.scopes_supported), *std::move(server)};
    if (!first) first = server.error();
  }
  return *first;
}

Result<AuthorizationServerMetadata> ServerDiscovery::metadata_of(const std::string& issuer, SteadyTime deadline,
                                                                 const std::stop_token& stop) {
  return fetch_authorization_server_metadata(issuer_http_, issuer, policy_, deadline, stop);
}

}  // namespace postern::bridge
