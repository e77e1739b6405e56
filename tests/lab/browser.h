// A browser without eyes: opens pages of this machine, keeps cookies, follows redirects and links, and presses buttons
// of forms that are really there. It sends what a browser sends with them (Origin, Sec-Fetch-Site, Referer), and goes
// to no other machine.
//
// One thread. The HttpClient and the clock must outlive it.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "tests/lab/cookie_jar.h"
#include "tests/lab/html_page.h"
#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/transport/http_client.h"

namespace postern::lab {

struct OpenPage {
  Uri uri;
  int status = 0;
  HtmlPage html;
};

struct NotThisMachine {
  static constexpr std::string_view kId = "lab.not_this_machine";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string url;  // made visible
  [[nodiscard]] std::string text() const {
    return "The scripted browser goes to no other machine, and " + url + " is one.";
  }
};
struct TooManyRedirects {
  static constexpr std::string_view kId = "lab.too_many_redirects";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string url;
  [[nodiscard]] std::string text() const { return "More than ten redirects, the last to " + url + "."; }
};

class Browser {
 public:
  Browser(HttpClient& http, const Clock& clock, std::stop_token stop = {})
      : http_(http), clock_(clock), stop_(std::move(stop)) {}

  // A person types the address.
  [[nodiscard]] Result<OpenPage> open(std::string_view url);
  // A person follows a link of the page.
  [[nodiscard]] Result<OpenPage> follow(const OpenPage& page, const HtmlLink& link);
  // A person presses a button: the form's fields and the button's own go to the form's action.
  [[nodiscard]] Result<OpenPage> press(const OpenPage& page, const HtmlForm& form, const HtmlButton& button);

  [[nodiscard]] const CookieJar& cookies() const { return cookies_; }

 private:
  struct From {
    const Uri* page = nullptr;  // null: typed
  };
  [[nodiscard]] Result<OpenPage> load(Uri uri, std::string method, std::string form, From from);
  [[nodiscard]] HttpRequest request(const Uri& uri, const std::string& method, const std::string& form,
                                    From from) const;

  HttpClient& http_;
  const Clock& clock_;
  std::stop_token stop_;
  CookieJar cookies_;
};

}  // namespace postern::lab
