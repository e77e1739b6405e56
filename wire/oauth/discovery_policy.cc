#include "wire/oauth/discovery_policy.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstdint>

#include "wire/base/visible_text.h"

namespace postern {
namespace {

struct Ipv4Block {
  std::uint32_t network;
  int bits;
  HostClass host_class;
};
constexpr std::uint32_t v4(unsigned a, unsigned b, unsigned c, unsigned d) {
  return a << 24 | b << 16 | c << 8 | d;
}

// The special-purpose address registry (RFC 6890); what is not listed is public.
constexpr Ipv4Block kIpv4Blocks[] = {
    {v4(127, 0, 0, 0), 8, HostClass::kLoopback},      {v4(10, 0, 0, 0), 8, HostClass::kPrivate},
    {v4(172, 16, 0, 0), 12, HostClass::kPrivate},     {v4(192, 168, 0, 0), 16, HostClass::kPrivate},
    {v4(100, 64, 0, 0), 10, HostClass::kPrivate},     {v4(0, 0, 0, 0), 8, HostClass::kForbidden},
    {v4(169, 254, 0, 0), 16, HostClass::kForbidden},  {v4(192, 0, 0, 0), 24, HostClass::kForbidden},
    {v4(192, 0, 2, 0), 24, HostClass::kForbidden},    {v4(198, 18, 0, 0), 15, HostClass::kForbidden},
    {v4(198, 51, 100, 0), 24, HostClass::kForbidden}, {v4(203, 0, 113, 0), 24, HostClass::kForbidden},
    {v4(224, 0, 0, 0), 3, HostClass::kForbidden},
};

HostClass class_of_ipv4(std::uint32_t address) {
  for (const Ipv4Block& block : kIpv4Blocks) {
    if (address >> (32 - block.bits) == block.network >> (32 - block.bits)) return block.host_class;
  }
  return HostClass::kPublic;
}

HostClass class_of_ipv6(const in6_addr& address) {
  if (IN6_IS_ADDR_LOOPBACK(&address)) return HostClass::kLoopback;
  const unsigned first = static_cast<unsigned>(address.s6_addr[0]) << 8 | address.s6_addr[1];
  const unsigned second = static_cast<unsigned>(address.s6_addr[2]) << 8 | address.s6_addr[3];
  if ((first & 0xFE00U) == 0xFC00U) return HostClass::kPrivate;
  // Only global unicast is left; Teredo, 6to4 and documentation addresses carry or mean other hosts.
  if ((first & 0xE000U) != 0x2000U || first == 0x2002U || (first == 0x2001U && (second == 0 || second == 0x0DB8U))) {
    return HostClass::kForbidden;
  }
  return HostClass::kPublic;
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

HostClass class_of_host(std::string_view host) {
  const std::string text(host);
  in_addr address4{};
  if (inet_pton(AF_INET, text.c_str(), &address4) == 1) return class_of_ipv4(ntohl(address4.s_addr));
  in6_addr address6{};
  if (inet_pton(AF_INET6, text.c_str(), &address6) == 1) return class_of_ipv6(address6);
  if (host.empty() || host.back() == '.' || host.front() == '.' || ends_in_number(host)) return HostClass::kForbidden;
  return is_below_localhost(host) ? HostClass::kLoopback : HostClass::kName;
}

Result<Uri> DiscoveryPolicy::admit(std::string_view url) const {
  const auto refuse = [&](std::string reason) {
    return DiscoveryNotAllowed{visible_line(url, 200), std::move(reason)};
  };
  auto uri = parse_uri(url);
  if (!uri) return refuse("it is not a well-formed http or https URL without user information");
  const HostClass named = class_of_host(uri->host);
  const bool server_is_loopback = class_of_host(server_.host) == HostClass::kLoopback;
  if (named == HostClass::kForbidden) return refuse("its host is a link-local, reserved or disguised address");
  if (named == HostClass::kLoopback && !server_is_loopback) {
    return refuse("it names this machine, and the server that names it is elsewhere");
  }
  if (named != HostClass::kLoopback && server_is_loopback)
    return refuse("a server on this machine may name this machine only");
  if (named == HostClass::kPrivate && uri->host != server_.host) {
    return refuse("it names a private address that is not the server's own");
  }
  if (uri->scheme != "https" && named != HostClass::kLoopback) return refuse("http is for this machine only");
  return *std::move(uri);
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
