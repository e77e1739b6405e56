#include "wire/oauth/discovery.h"

#include <optional>
#include <utility>

#include "wire/base/visible_text.h"
#include "wire/oauth/admitting_http_client.h"

namespace postern {
namespace {

constexpr JsonBounds kDocumentBounds{kStrangersDocumentBytesMax, 16};
constexpr std::string_view kResourceDocument = "protected resource metadata";
constexpr std::string_view kServerDocument = "authorization server metadata";
constexpr std::string_view kKeyDocument = "key set";

struct Fetch {
  HttpClient& client;
  const DiscoveryPolicy& policy;
  SteadyTime deadline;
  const std::stop_token& stop;
};

bool is_json(const HttpResponse& response) {
  const std::string* content_type = response.headers.find("Content-Type");
  if (content_type == nullptr) return false;
  const std::string type = media_type(*content_type);
  constexpr std::string_view kSuffix = "+json";
  return type == "application/json" ||
         (type.size() > kSuffix.size() && type.compare(type.size() - kSuffix.size(), kSuffix.size(), kSuffix) == 0);
}

// The document; nothing when the place has none.
Result<std::optional<Json>> fetch_document(const Fetch& fetch, const std::string& url, std::string_view document) {
  POSTERN_TRY(const Uri uri, fetch.policy.admit(url));
  HttpRequest request;
  request.method = "GET";
  request.headers.add("Accept", "application/json");
  AdmittingHttpClient admitting(fetch.client, fetch.policy);
  POSTERN_TRY(const HttpResponse response, admitting.send(uri, request, fetch.deadline, fetch.stop));
  if (response.status >= 300 && response.status < 500) return std::optional<Json>();
  const auto failed = [&](std::string reason) {
    return DiscoveryFailed{std::string(document), visible_line(url, 200), std::move(reason)};
  };
  if (response.status != 200) return failed("it answered with status " + std::to_string(response.status));
  if (!is_json(response)) return std::optional<Json>();
  auto json = parse_json(response.body, kDocumentBounds);
  if (!json) return failed("its answer is not well-formed JSON");
  return std::optional(*std::move(json));
}

Failure nowhere(std::string_view document, const std::string& last_url) {
  return DiscoveryFailed{std::string(document), visible_line(last_url, 200), "no place has it"};
}

}  // namespace

Result<ProtectedResourceMetadata> fetch_protected_resource_metadata(HttpClient& client, std::string_view endpoint,
                                                                    const std::vector<std::string>& challenged_urls,
                                                                    const DiscoveryPolicy& policy, SteadyTime deadline,
                                                                    const std::stop_token& stop) {
  const Fetch fetch{client, policy, deadline, stop};
  POSTERN_TRY(const std::vector<MetadataPlace> places, protected_resource_metadata_places(endpoint, challenged_urls));
  const auto at = [&](const MetadataPlace& place) -> Result<std::optional<ProtectedResourceMetadata>> {
    POSTERN_TRY(const auto json, fetch_document(fetch, place.url, kResourceDocument));
    if (!json) return std::optional<ProtectedResourceMetadata>();
    POSTERN_TRY(ProtectedResourceMetadata found, ProtectedResourceMetadata::of_json(*json, endpoint, place.match));
    return std::optional(std::move(found));
  };
  std::optional<Failure> first;
  for (const MetadataPlace& place : places) {
    auto found = at(place);
    if (found && *found) return **std::move(found);
    if (found) continue;
    if (challenged_urls.size() < 2) return std::move(found).error();
    if (!first) first = found.error();
  }
  if (first) return *first;
  return nowhere(kResourceDocument, places.back().url);
}

Result<AuthorizationServerMetadata> fetch_authorization_server_metadata(HttpClient& client, std::string_view issuer,
                                                                        const DiscoveryPolicy& policy,
                                                                        SteadyTime deadline,
                                                                        const std::stop_token& stop) {
  const Fetch fetch{client, policy, deadline, stop};
  POSTERN_TRY(const std::vector<std::string> urls, authorization_server_metadata_urls(issuer));
  for (const std::string& url : urls) {
    POSTERN_TRY(const auto json, fetch_document(fetch, url, kServerDocument));
    if (json) return AuthorizationServerMetadata::of_json(*json, issuer);
  }
  return nowhere(kServerDocument, urls.back());
}

Result<JwkSet> fetch_jwk_set(HttpClient& client, const AuthorizationServerMetadata& server,
                             const DiscoveryPolicy& policy, SteadyTime deadline, const std::stop_token& stop) {
  const Fetch fetch{client, policy, deadline, stop};
  POSTERN_TRY(const Uri issuer, parse_uri(server.issuer));
  const auto keys = parse_uri(server.jwks_uri);
  if (!keys || keys->origin() != issuer.origin()) {
    return DiscoveryNotAllowed{visible_line(server.jwks_uri, 200), "keys are taken from the issuer's own origin only"};
  }
  POSTERN_TRY(const auto json, fetch_document(fetch, server.jwks_uri, kKeyDocument));
  if (!json) return nowhere(kKeyDocument, server.jwks_uri);
  return JwkSet::of_json(*json);
}

std::string DiscoveryFailed::text() const {
  return "The " + document + " at " + where + " cannot be had: " + reason + ".";
}

}  // namespace postern
