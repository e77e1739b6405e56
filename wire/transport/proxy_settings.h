// Which requests go through which proxy, as the environment of most programs says it: https_proxy, http_proxy,
// no_proxy.
//
// Lower case is looked for first. HTTP_PROXY in capitals is not read: a program that serves CGI gets it from a request
// header. A proxy is an http:// URL with a host and a port (a proxy that is spoken to over TLS is refused by name, not
// silently skipped). What stands before "@" in it is a credential: it goes to the proxy as Basic (RFC 7617) and nowhere
// else, neither into a log nor into a failure.
//
// no_proxy is a list with commas: a host and everything below it ("corp.example", ".corp.example"), with a port or
// without, an address ("10.1.2.3", "[2001:db8::1]:8443"), a range of addresses ("10.0.0.0/8", for literal addresses
// only, since names are not resolved for it), or "*" for everything. This machine (127/8, ::1, localhost) is never
// reached through a proxy.
//
// A value, immutable while clients use it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/result.h"
#include "wire/base/secret.h"
#include "wire/base/uri.h"
#include "wire/transport/ip_address.h"

namespace postern {

struct Proxy;
struct ProxyAuthorizationTag {
  using RevealedBy = Reveals<Proxy>;
};
using ProxyAuthorization = Secret<ProxyAuthorizationTag>;

struct Proxy {
  std::string host;
  std::uint16_t port = 0;
  ProxyAuthorization authorization;  // "user:password", decoded; empty: none
  // For people and failures: "proxy.example:3128", without the credential.
  [[nodiscard]] std::string where() const;
  // "Proxy-Authorization: Basic ...\r\n", or nothing. For the connection to the proxy only; whoever takes it wipes it.
  [[nodiscard]] std::string authorization_line() const;
};

struct ProxySettings {
  std::optional<Proxy> https;
  std::optional<Proxy> http;
  struct Exemption {
    std::string host;              // lower case, without a leading dot; empty with a range
    std::optional<IpRange> range;  // of a literal address
    std::uint16_t port = 0;        // 0: any
  };
  std::vector<Exemption> exemptions;
  bool everything_is_exempt = false;
  // The person's word that the proxy itself refuses private and link-local destinations, so that URLs of strangers may
  // be fetched through it by name.
  bool checks_addresses = false;

  // The proxy that a request to `uri` goes through; null for none. Points into this object.
  [[nodiscard]] const Proxy* proxy_for(const Uri& uri) const;
};

// From https_proxy or HTTPS_PROXY, http_proxy, all_proxy or ALL_PROXY, no_proxy or NO_PROXY, and
// POSTERN_PROXY_CHECKS_ADDRESSES=1. Empty values are absent. `transport.bad_proxy` names the variable and never its
// value.
[[nodiscard]] Result<std::shared_ptr<const ProxySettings>> proxy_settings_of(
    const std::map<std::string, std::string, std::less<>>& environment);

struct BadProxy {
  static constexpr std::string_view kId = "transport.bad_proxy";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string variable;
  std::string reason;  // a sentence without its end, and without the value
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
