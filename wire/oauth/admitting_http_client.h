// AdmittingHttpClient: an HTTP client for URLs that a stranger named (metadata, endpoints, keys).
//
// Each URL is held against the policy before anything is sent, each address that its name has against it too, and the
// connection goes to an address that was checked (a name that resolves differently the next time gains nothing). Bodies
// are bounded, no redirect is followed, and no stream is opened. Give one to whatever fetches at the word of a server
// or an issuer; a URL that a person configured needs none.
//
// Thread-safe as the client it wraps, which must outlive it.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string_view>

#include "wire/oauth/discovery_policy.h"
#include "wire/transport/http_client.h"

namespace postern {

inline constexpr std::size_t kStrangersDocumentBytesMax = 256 * 1024;

class AdmittingHttpClient final : public HttpClient {
 public:
  AdmittingHttpClient(HttpClient& http, DiscoveryPolicy policy) : http_(http), policy_(std::move(policy)) {}

  // oauth.discovery_not_allowed, transport.address_refused, and what the client gives.
  [[nodiscard]] Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime deadline,
                                          std::stop_token stop = {}) override;
  // Within both guards.
  [[nodiscard]] Result<HttpResponse> send_guarded(const Uri& uri, const HttpRequest& request, const SendGuard& guard,
                                                  SteadyTime deadline, std::stop_token stop = {}) override;
  // Refused: oauth.discovery_not_allowed.
  [[nodiscard]] Result<HttpResponse> open(const Uri& uri, const HttpRequest& request,
                                          const std::function<bool(const HttpResponse&)>& on_head,
                                          const std::function<bool(std::string_view)>& on_bytes, SteadyTime deadline,
                                          std::stop_token stop = {}) override;

 private:
  HttpClient& http_;
  DiscoveryPolicy policy_;
};

}  // namespace postern
