#include "tests/lab/cookie_jar.h"

#include <algorithm>
#include <utility>

#include "tests/lab/text_search.h"

namespace postern::lab {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// RFC 6265 section 5.1.4.
bool path_matches(std::string_view request, std::string_view cookie) {
  if (request == cookie) return true;
  return request.starts_with(cookie) && (cookie.ends_with('/') || request[cookie.size()] == '/');
}

}  // namespace

void CookieJar::take(const Uri& uri, const HeaderList& headers) {
  for (const std::string_view field : headers.all("set-cookie")) {
    std::string_view rest = field;
    const std::string_view pair = rest.substr(0, rest.find(';'));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    Cookie cookie{uri.host, "/", std::string(trimmed(pair.substr(0, equals))),
                  std::string(trimmed(pair.substr(equals + 1)))};
    bool expired = false;
    for (std::size_t at = rest.find(';'); at != std::string_view::npos; at = rest.find(';')) {
      rest.remove_prefix(at + 1);
      const std::string attribute = lower_case(trimmed(rest.substr(0, rest.find(';'))));
      if (attribute.starts_with("max-age=")) expired = attribute == "max-age=0" || attribute.starts_with("max-age=-");
      if (attribute.starts_with("expires=") && attribute.find("1970") != std::string::npos) expired = true;
      if (attribute.starts_with("path=/")) cookie.path = std::string(trimmed(rest.substr(0, rest.find(';')))).substr(5);
    }
    set(std::move(cookie), expired);
  }
}

void CookieJar::set(Cookie cookie, bool expired) {
  const auto same = [&cookie](const Cookie& one) {
    return one.host == cookie.host && one.path == cookie.path && one.name == cookie.name;
  };
  cookies_.erase(std::remove_if(cookies_.begin(), cookies_.end(), same), cookies_.end());
  if (!expired) cookies_.push_back(std::move(cookie));
}

std::string CookieJar::field_for(const Uri& uri) const {
  std::string field;
  for (const Cookie& cookie : cookies_) {
    if (cookie.host != uri.host || !path_matches(uri.path, cookie.path)) continue;
    field += (field.empty() ? "" : "; ") + cookie.name + "=" + cookie.value;
  }
  return field;
}

std::vector<std::string> CookieJar::values() const {
  std::vector<std::string> values;
  for (const Cookie& cookie : cookies_) values.push_back(cookie.value);
  return values;
}

}  // namespace postern::lab
