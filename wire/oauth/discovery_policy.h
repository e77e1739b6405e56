// Which URLs that a server names may be fetched at all (MCP 2026-07-28, security considerations: server-side request
// forgery).
//
// A metadata document, a challenge and an issuer's endpoints are the words of strangers. Admitted are https, and http
// between loopback addresses only: a loopback server may name loopback only, and nobody else may name it. Link-local,
// multicast and unspecified addresses and the metadata services of clouds are never admitted, nor names of an address
// in disguise (127.1, 0x7f000001, ::ffff:10.0.0.1, a trailing dot); a private address only when it is the very host of
// the server. User information never.
//
// What a host name resolves to is held against the same rules where it is resolved (admits_address). A host that a
// person configured is believed: a server of the company on 10.1.2.3 is fine, by address or by name, and so is an
// issuer that the configuration names. What either of them names is a stranger's word again.
//
// Immutable, thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/transport/ip_address.h"

namespace postern {

enum class HostClass {
  kName,       // to be resolved
  kPublic,     // an address of the public Internet
  kLoopback,   // 127/8, ::1, "localhost" and names below it
  kPrivate,    // RFC 1918, RFC 4193, RFC 6598
  kForbidden,  // link-local, multicast, unspecified, reserved, a cloud's metadata service, or a form that parsers
               // disagree about
};
// Of a host as in Uri: lower case, IPv6 without brackets.
[[nodiscard]] HostClass class_of_host(std::string_view host);
// Of an address, as a resolver gives it: the IPv4 address in a mapped or translated (RFC 6052, 64:ff9b::/96) IPv6
// address is what counts. Never kName.
[[nodiscard]] HostClass class_of_address(const IpAddress& address);

class DiscoveryPolicy {
 public:
  // `server` is the URL that a person configured, or the issuer that an operator did: from there on nothing is
  // believed. `configured` are other URLs that the same person configured (the issuer of that server).
  explicit DiscoveryPolicy(Uri server, std::vector<Uri> configured = {})
      : server_(std::move(server)), configured_(std::move(configured)) {}
  // The parsed URL, or `oauth.discovery_not_allowed`.
  [[nodiscard]] Result<Uri> admit(std::string_view url) const;
  // Whether a URL with that host, once admitted, may be fetched from that address ("10.0.0.5", "::1").
  [[nodiscard]] bool admits_address(std::string_view host, std::string_view address) const;
  // Whether a person named this host.
  [[nodiscard]] bool is_configured(std::string_view host) const;

 private:
  Uri server_;
  std::vector<Uri> configured_;
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
