// Which URLs that a server names may be fetched at all (MCP 2026-07-28, security considerations: server-side request
// forgery).
//
// A metadata document, a challenge and an issuer's endpoints are the words of strangers. Admitted are https, and http
// between loopback addresses only: a loopback server may name loopback only, and nobody else may name it. Link-local,
// multicast and unspecified addresses are never admitted, nor names of one of these in disguise (127.1, 0x7f000001,
// ::ffff:10.0.0.1, a trailing dot); a private address only when it is the very host of the server. User information
// never. What a host name resolves to is checked where it is resolved.
//
// Immutable, thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "wire/base/result.h"
#include "wire/base/uri.h"

namespace postern {

enum class HostClass {
  kName,       // to be resolved
  kPublic,     // an address of the public Internet
  kLoopback,   // 127/8, ::1, "localhost" and names below it
  kPrivate,    // RFC 1918, RFC 4193, RFC 6598
  kForbidden,  // link-local, multicast, unspecified, reserved, or a form that parsers disagree about
};
// Of a host as in Uri: lower case, IPv6 without brackets.
[[nodiscard]] HostClass class_of_host(std::string_view host);

class DiscoveryPolicy {
 public:
  // `server` is the URL that a person configured, or the issuer that an operator did: from there on nothing is
  // believed.
  explicit DiscoveryPolicy(Uri server) : server_(std::move(server)) {}
  // The parsed URL, or `oauth.discovery_not_allowed`.
  [[nodiscard]] Result<Uri> admit(std::string_view url) const;

 private:
  Uri server_;
};

// For a URL that is about to be handed to a person's browser as an authorization endpoint: http or https, http on
// loopback only, and no character that a shell or an opener could take for anything but a letter of a URL.
// `oauth.discovery_not_allowed`.
[[nodiscard]] Result<Uri> check_authorization_endpoint(std::string_view url);

struct DiscoveryNotAllowed {
  static constexpr std::string_view kId = "oauth.discovery_not_allowed";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string url;  // made visible
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
