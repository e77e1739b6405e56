// The proxies that are believed when they say for whom they ask.
//
// A value, constant while a server runs; read by all its threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/base/result.h"
#include "wire/http_message/http_message.h"
#include "wire/transport/ip_address.h"

namespace postern {

class TrustedProxies {
 public:
  TrustedProxies() = default;  // nobody: X-Forwarded-For means nothing
  // Addresses and ranges ("192.0.2.7", "10.1.0.0/16", "2001:db8::/48"); see ip_address.h for what is refused.
  [[nodiscard]] static Result<TrustedProxies> parse(const std::vector<std::string>& ranges);

  [[nodiscard]] bool trust(const IpAddress& address) const;
  // For whom a request is, that came from `connection`: the right-most address of X-Forwarded-For that is no trusted
  // proxy, when the connection is one. What stands left of it was written by the peer and is not looked at. Otherwise
  // the connection itself: the header is absent or comes from anybody else, or a member that would have to be believed
  // is no plain address.
  [[nodiscard]] IpAddress peer_of(const IpAddress& connection, const HeaderList& headers) const;

 private:
  std::vector<IpRange> ranges_;
};

struct BadProxyAddress {
  static constexpr std::string_view kId = "transport.bad_proxy_address";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string what;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
