// Which links of a server may be shown to a person at all (MCP 2026-07-28 client/elicitation, "Safe URL Handling").
//
// https, or http on loopback; no user information, no control, bidirectional or other hidden character; the host must
// be that of the server, or one that the configuration names. Without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/base/result.h"
#include "wire/base/uri.h"

namespace postern::bridge {

struct CheckedLink {
  Uri url;
  bool punycode = false;
};

// `allowed_hosts` are host names without ports. Failure: elicitation.link_refused.
[[nodiscard]] Result<CheckedLink> check_link(std::string_view url, const std::vector<std::string>& allowed_hosts);

struct LinkRefused {
  static constexpr std::string_view kId = "elicitation.link_refused";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string url;  // made visible, cut
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::bridge
