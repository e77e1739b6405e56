#include "tests/lab/browser.h"

#include <chrono>
#include <utility>

#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

constexpr int kRedirectsMax = 10;
constexpr std::chrono::seconds kPageMax{15};

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// Fetch Metadata: ports of one host are one site, and two origins.
std::string_view site_of(const Uri& from, const Uri& to) {
  if (from.origin() == to.origin()) return "same-origin";
  return from.host == to.host ? "same-site" : "cross-site";
}

}  // namespace

HttpRequest Browser::request(const Uri& uri, const std::string& method, const std::string& form, From from) const {
  HttpRequest request;
  request.method = method;
  request.headers.add("Accept", "text/html");
  request.headers.add("User-Agent", "postern-lab (a scripted supervisor)");
  if (const std::string cookies = cookies_.field_for(uri); !cookies.empty()) request.headers.add("Cookie", cookies);
  request.headers.add("Sec-Fetch-Mode", "navigate");
  request.headers.add("Sec-Fetch-Dest", "document");
  request.headers.add("Sec-Fetch-Site", from.page == nullptr ? "none" : std::string(site_of(*from.page, uri)));
  // The pages' Referrer-Policy is same-origin.
  if (from.page != nullptr && from.page->origin() == uri.origin()) request.headers.add("Referer", from.page->text());
  if (method == "POST") {
    request.headers.add("Origin", from.page == nullptr ? "null" : from.page->origin());
    request.headers.add("Content-Type", "application/x-www-form-urlencoded");
    request.body = form;
  }
  return request;
}

Result<OpenPage> Browser::load(Uri uri, std::string method, std::string form, From from) {
  for (int redirects = 0; redirects <= kRedirectsMax; ++redirects) {
    if (!uri.is_loopback()) return NotThisMachine{visible_line(uri.text(), 200)};
    const HttpRequest asked = request(uri, method, form, from);
    POSTERN_TRY(const HttpResponse response, http_.send(uri, asked, clock_.steady_now() + kPageMax, stop_));
    cookies_.take(uri, response.headers);
    const std::string* location = response.headers.find("location");
    if (!is_redirect(response.status) || location == nullptr)
      return OpenPage{uri, response.status, read_html(response.body)};
    POSTERN_TRY(uri, resolve(uri, *location));
    if (response.status != 307 && response.status != 308) {
      method = "GET";
      form.clear();
    }
  }
  return TooManyRedirects{visible_line(uri.text(), 200)};
}

Result<OpenPage> Browser::open(std::string_view url) {
  POSTERN_TRY(Uri uri, parse_uri(url));
  return load(std::move(uri), "GET", "", From{});
}

Result<OpenPage> Browser::follow(const OpenPage& page, const HtmlLink& link) {
  POSTERN_TRY(Uri uri, resolve(page.uri, link.href));
  return load(std::move(uri), "GET", "", From{&page.uri});
}

Result<OpenPage> Browser::press(const OpenPage& page, const HtmlForm& form, const HtmlButton& button) {
  POSTERN_TRY(Uri uri, resolve(page.uri, form.action));
  FormFields fields = form.fields;
  if (!button.name.empty()) fields.emplace_back(button.name, button.value);
  if (form.method == "post") return load(std::move(uri), "POST", form_encode(fields), From{&page.uri});
  uri.query = form_encode(fields);
  uri.has_query = true;
  return load(std::move(uri), "GET", "", From{&page.uri});
}

}  // namespace postern::lab
