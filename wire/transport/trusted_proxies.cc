#include "wire/transport/trusted_proxies.h"

#include <algorithm>

#include "wire/base/visible_text.h"

namespace postern {
namespace {

std::string_view without_blanks_around(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

Result<TrustedProxies> TrustedProxies::parse(const std::vector<std::string>& ranges) {
  TrustedProxies proxies;
  for (const std::string& text : ranges) {
    const std::optional<IpRange> range = IpRange::parse(text);
    if (!range) return BadProxyAddress{text};
    proxies.ranges_.push_back(*range);
  }
  return proxies;
}

bool TrustedProxies::trust(const IpAddress& address) const {
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const IpRange& range) { return range.contains(address); });
}

IpAddress TrustedProxies::peer_of(const IpAddress& connection, const HeaderList& headers) const {
  if (!trust(connection)) return connection;
  // Several fields of one name are one list (RFC 9110 section 5.3); a proxy may add a field instead of a member.
  const std::vector<std::string_view> fields = headers.all("X-Forwarded-For");
  for (auto field = fields.rbegin(); field != fields.rend(); ++field) {
    std::string_view left = *field;
    for (;;) {
      const std::size_t comma = left.rfind(',');
      const std::string_view member = comma == std::string_view::npos ? left : left.substr(comma + 1);
      const std::optional<IpAddress> address = IpAddress::parse(without_blanks_around(member));
      if (!address) return connection;
      if (!trust(*address)) return *address;
      if (comma == std::string_view::npos) break;
      left = left.substr(0, comma);
    }
  }
  return connection;
}

std::string BadProxyAddress::text() const {
  return "A trusted proxy is named by its address, as 192.0.2.7 or 10.1.0.0/16, and not by \"" +
         visible_line(what, 80) + "\". Nothing was started.";
}

}  // namespace postern
