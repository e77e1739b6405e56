// Cookies as a browser keeps them (RFC 6265), for a scripted person on loopback.
//
// Like a browser, and unlike what one may expect, the jar knows no ports: a cookie of one server of 127.0.0.1 goes to
// every other one. That is on purpose, because it is what the page has to live with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/base/uri.h"
#include "wire/http_message/http_message.h"

namespace postern::lab {

class CookieJar {
 public:
  // Takes the Set-Cookie fields of a response that came from `uri`.
  void take(const Uri& uri, const HeaderList& headers);
  // The value of the Cookie field for a request to `uri`; empty when there is none.
  [[nodiscard]] std::string field_for(const Uri& uri) const;
  // Values of all cookies, for tests that look for them in places where they must not be.
  [[nodiscard]] std::vector<std::string> values() const;

 private:
  struct Cookie {
    std::string host;
    std::string path;
    std::string name;
    std::string value;
  };
  void set(Cookie cookie, bool expired);
  std::vector<Cookie> cookies_;
};

}  // namespace postern::lab
