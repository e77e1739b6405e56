// Which links of a server may be shown to a person at all (MCP 2026-07-28 client/elicitation, "Safe URL Handling").
//
// https, or http on loopback; no user information, no control, bidirectional or other hidden character, no other
// scheme. The desk's links lead to hosts that the configuration names; another server's may lead to any host over
// https, what is not its own is said, and no address that only this person can reach is one. Without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/base/result.h"
#include "wire/base/uri.h"

namespace postern::bridge {

struct LinkPolicy {
  std::vector<std::string> hosts;  // names without ports: those of the server, and what the configuration adds
  bool any_https = false;          // other hosts too, with a warning
};

struct CheckedLink {
  Uri url;
  std::string looks_like;     // how an internationalised host paints (bridge/host_letters.h); empty: plain ASCII
  bool foreign_host = false;  // none of the policy's hosts
};

// Failure: elicitation.link_refused.
[[nodiscard]] Result<CheckedLink> check_link(std::string_view url, const LinkPolicy& policy);

struct LinkRefused {
  static constexpr std::string_view kId = "elicitation.link_refused";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string url;  // made visible, cut
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::bridge
