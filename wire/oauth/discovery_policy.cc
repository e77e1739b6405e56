#include "wire/oauth/discovery_policy.h"

#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "wire/base/check.h"
#include "wire/base/visible_text.h"

namespace postern {
namespace {

struct Block {
  std::string_view range;
  HostClass host_class;
};

// The special-purpose address registries (RFC 6890, RFC 9637), the narrowest first; what is not listed is public. The
// three single addresses are the metadata services of clouds that are not link-local.
constexpr Block kBlocks[] = {
    {"100.100.100.200", HostClass::kForbidden},
    {"168.63.129.16", HostClass::kForbidden},
    {"fd00:ec2::254", HostClass::kForbidden},
    {"127.0.0.0/8", HostClass::kLoopback},
    {"::1", HostClass::kLoopback},
    {"10.0.0.0/8", HostClass::kPrivate},
    {"172.16.0.0/12", HostClass::kPrivate},
    {"192.168.0.0/16", HostClass::kPrivate},
    {"100.64.0.0/10", HostClass::kPrivate},
    {"fc00::/7", HostClass::kPrivate},
    {"0.0.0.0/8", HostClass::kForbidden},
    {"169.254.0.0/16", HostClass::kForbidden},
    {"192.0.0.0/24", HostClass::kForbidden},
    {"192.0.2.0/24", HostClass::kForbidden},
    {"192.88.99.0/24", HostClass::kForbidden},
    {"198.18.0.0/15", HostClass::kForbidden},
    {"198.51.100.0/24", HostClass::kForbidden},
    {"203.0.113.0/24", HostClass::kForbidden},
    {"224.0.0.0/3", HostClass::kForbidden},
    // Teredo and the rest of 2001::/23, documentation, 6to4: they carry or mean other hosts.
    {"2001::/23", HostClass::kForbidden},
    {"2001:db8::/32", HostClass::kForbidden},
    {"2002::/16", HostClass::kForbidden},
    {"3fff::/20", HostClass::kForbidden},
};
constexpr std::string_view kTranslated = "64:ff9b::/96";  // RFC 6052 section 2.1
constexpr std::string_view kGlobalUnicast = "2000::/3";

// Read once; a range that cannot be read is a slip in the table above.
IpRange range_of(std::string_view text) {
  const std::optional<IpRange> range = IpRange::parse(text);
  POSTERN_CHECK(range.has_value());
  return *range;
}

const std::vector<std::pair<IpRange, HostClass>>& blocks() {
  static const auto all = [] {
    std::vector<std::pair<IpRange, HostClass>> read;
    for (const Block& block : kBlocks) read.emplace_back(range_of(block.range), block.host_class);
    return read;
  }();
  return all;
}

// The IPv4 address in the last four bytes of an IPv6 address.
IpAddress embedded_ipv4(const IpAddress& address) {
  sockaddr_in in{};
  std::memcpy(&in.sin_addr, address.bytes().data() + 12, sizeof in.sin_addr);
  return IpAddress::of(in);
}

// Whether the last label is a number, as browsers and inet_aton() read it: then the name is an address in disguise.
bool ends_in_number(std::string_view host) {
  const std::string_view label = host.substr(host.rfind('.') + 1);
  const bool digits =
      !label.empty() && std::all_of(label.begin(), label.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits || label.substr(0, 2) == "0x";
}

bool is_below_localhost(std::string_view host) {
  constexpr std::string_view kName = "localhost";
  constexpr std::string_view kBelow = ".localhost";
  return host == kName || (host.size() > kBelow.size() && host.substr(host.size() - kBelow.size()) == kBelow);
}

}  // namespace

HostClass class_of_address(const IpAddress& address) {
  static const IpRange translated = range_of(kTranslated);
  static const IpRange global_unicast = range_of(kGlobalUnicast);
  if (translated.contains(address)) {
    // A network without IPv4 reaches public hosts so; no other host is meant to be reached so.
    const HostClass inner = class_of_address(embedded_ipv4(address));
    return inner == HostClass::kPublic ? inner : HostClass::kForbidden;
  }
  for (const auto& [range, host_class] : blocks()) {
    if (range.contains(address)) return host_class;
  }
  return address.is_v4() || global_unicast.contains(address) ? HostClass::kPublic : HostClass::kForbidden;
}

HostClass class_of_host(std::string_view host) {
  if (const std::optional<IpAddress> address = IpAddress::parse(host)) {
    // An IPv4 address that is written as IPv6 is one in disguise.
    const bool mapped = address->is_v4() && host.find(':') != std::string_view::npos;
    return mapped ? HostClass::kForbidden : class_of_address(*address);
  }
  const bool no_name =
      host.empty() || host.back() == '.' || host.front() == '.' || host.find_first_of(":%") != std::string_view::npos;
  if (no_name || ends_in_number(host)) return HostClass::kForbidden;
  return is_below_localhost(host) ? HostClass::kLoopback : HostClass::kName;
}

bool DiscoveryPolicy::is_configured(std::string_view host) const {
  return host == server_.host ||
         std::any_of(configured_.begin(), configured_.end(), [host](const Uri& uri) { return uri.host == host; });
}

Result<Uri> DiscoveryPolicy::admit(std::string_view url) const {
  const auto refuse = [&](std::string reason) {
    return DiscoveryNotAllowed{visible_line(url, 200), std::move(reason)};
  };
  auto uri = parse_uri(url);
  if (!uri) return refuse("it is not a well-formed http or https URL without user information");
  const HostClass named = class_of_host(uri->host);
  const bool server_is_loopback = class_of_host(server_.host) == HostClass::kLoopback;
  const bool configured = is_configured(uri->host);
  if (named == HostClass::kForbidden) return refuse("its host is a link-local, reserved or disguised address");
  if (named == HostClass::kLoopback && !server_is_loopback && !configured) {
    return refuse("it names this machine, and the server that names it is elsewhere");
  }
  if (named != HostClass::kLoopback && server_is_loopback && !configured)
    return refuse("a server on this machine may name this machine only");
  if (named == HostClass::kPrivate && !configured) {
    return refuse("it names a private address that is not the server's own");
  }
  if (uri->scheme != "https" && named != HostClass::kLoopback) return refuse("http is for this machine only");
  return *std::move(uri);
}

bool DiscoveryPolicy::admits_address(std::string_view host, std::string_view address) const {
  const std::optional<IpAddress> parsed = IpAddress::parse(address);
  const HostClass reached = parsed ? class_of_address(*parsed) : HostClass::kForbidden;
  if (reached == HostClass::kForbidden) return false;
  if (class_of_host(host) == HostClass::kLoopback) return reached == HostClass::kLoopback;
  return is_configured(host) || reached == HostClass::kPublic;
}

Result<Uri> check_authorization_endpoint(std::string_view url) {
  const auto refuse = [&](std::string reason) {
    return DiscoveryNotAllowed{visible_line(url, 200), std::move(reason)};
  };
  auto uri = parse_uri(url);
  if (!uri) return refuse("it is not a well-formed http or https URL without user information");
  const HostClass host_class = class_of_host(uri->host);
  if (host_class == HostClass::kForbidden) return refuse("its host is a link-local, reserved or disguised address");
  if (uri->scheme != "https" && host_class != HostClass::kLoopback) return refuse("http is for this machine only");
  // Legal in a URL, but letters of another language to a shell; no authorization endpoint needs them.
  constexpr std::string_view kRefused = "!$'()*;";
  if (uri->target().find_first_of(kRefused) != std::string::npos)
    return refuse("it holds a character that a shell would take for its own");
  return *std::move(uri);
}

std::string DiscoveryNotAllowed::text() const {
  return "The server names the URL \"" + url + "\", which is not fetched or opened: " + reason + ".";
}

}  // namespace postern
