#include "wire/oauth/admitting_http_client.h"

#include <algorithm>
#include <utility>

#include "wire/base/visible_text.h"

namespace postern {

Result<HttpResponse> AdmittingHttpClient::send(const Uri& uri, const HttpRequest& request, SteadyTime deadline,
                                               std::stop_token stop) {
  return send_guarded(uri, request, SendGuard{}, deadline, std::move(stop));
}

Result<HttpResponse> AdmittingHttpClient::send_guarded(const Uri& uri, const HttpRequest& request,
                                                       const SendGuard& guard, SteadyTime deadline,
                                                       std::stop_token stop) {
  POSTERN_TRY_VOID(policy_.admit(uri.text()));
  SendGuard both;
  both.admits_address = [&](std::string_view host, std::string_view address) {
    return policy_.admits_address(host, address) && (!guard.admits_address || guard.admits_address(host, address));
  };
  both.admits_unresolved = [&](std::string_view host) {
    return policy_.is_configured(host) &&
           (!guard.admits_address || (guard.admits_unresolved && guard.admits_unresolved(host)));
  };
  both.response_bytes_max = guard.response_bytes_max == 0
                                ? kStrangersDocumentBytesMax
                                : std::min(guard.response_bytes_max, kStrangersDocumentBytesMax);
  return http_.send_guarded(uri, request, both, deadline, std::move(stop));
}

Result<HttpResponse> AdmittingHttpClient::open(const Uri& uri, const HttpRequest& /*request*/,
                                               const std::function<bool(const HttpResponse&)>& /*on_head*/,
                                               const std::function<bool(std::string_view)>& /*on_bytes*/,
                                               SteadyTime /*deadline*/, std::stop_token /*stop*/) {
  return DiscoveryNotAllowed{visible_line(uri.text(), 200), "no stream is opened at a URL that a stranger named"};
}

}  // namespace postern
