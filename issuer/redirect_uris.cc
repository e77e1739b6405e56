#include "issuer/redirect_uris.h"

#include <algorithm>

#include "wire/base/uri.h"
#include "wire/oauth/discovery_policy.h"

namespace postern::issuer {
namespace {

constexpr std::size_t kRedirectBytesMax = 512;

// "http://127.0.0.1:49152/callback" without ":49152", when that is an http URI on a loopback address. On the characters
// as they are, so that nothing that a parser would mend can match.
std::optional<std::string> without_loopback_port(std::string_view uri) {
  for (const std::string_view host : {"http://127.0.0.1", "http://[::1]", "http://localhost"}) {
    if (uri.substr(0, host.size()) != host) continue;
    std::string_view rest = uri.substr(host.size());
    if (rest.substr(0, 1) == ":") {
      if (rest.substr(0, 2) == ":0") return std::nullopt;
      rest.remove_prefix(std::min(rest.find_first_not_of("0123456789", 1), rest.size()));
    }
    if (rest.empty() || rest.front() != '/') return std::nullopt;
    return std::string(host).append(rest);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> redirect_uri_fault(std::string_view redirect_uri, ApplicationType type) {
  if (redirect_uri.size() > kRedirectBytesMax) return "is longer than " + std::to_string(kRedirectBytesMax) + " bytes";
  const auto uri = parse_uri(redirect_uri);
  if (!uri) return "is no absolute http or https URI without user information and fragment";
  if (redirect_uri.find('*') != std::string_view::npos) return "holds a wildcard";
  if (class_of_host(uri->host) == HostClass::kForbidden) return "names a host that programs read in different ways";
  if (uri->scheme == "https") return std::nullopt;
  if (type != ApplicationType::kNative) return "is not https, which a web application must use";
  if (!is_loopback_redirect(redirect_uri)) return "is neither https nor http on 127.0.0.1, [::1] or localhost";
  return std::nullopt;
}

bool is_loopback_redirect(std::string_view redirect_uri) {
  return without_loopback_port(redirect_uri).has_value() && parse_uri(redirect_uri).has_value();
}

bool is_redirect_of(std::string_view registered, std::string_view asked, ApplicationType type) {
  if (asked == registered) return true;
  if (type != ApplicationType::kNative) return false;
  const auto place = without_loopback_port(asked);
  return place && place == without_loopback_port(registered) && parse_uri(asked).has_value();
}

}  // namespace postern::issuer
