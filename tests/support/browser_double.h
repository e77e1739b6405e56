// A browser for tests over HTTP: keeps cookies, follows redirects, reads links and forms, and sends what a browser
// sends with them. Unlike the lab's scripted supervisor it also shows raw answers, and sends whatever an attacker
// would.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/lab/cookie_jar.h"
#include "tests/lab/html_page.h"
#include "wire/http_message/http_message.h"
#include "wire/transport/http_client.h"

namespace postern::test {

struct Shown {
  Uri uri;
  HttpResponse response;
  lab::HtmlPage html;
  [[nodiscard]] bool says(std::string_view words) const { return html.text.find(words) != std::string::npos; }
};

class BrowserDouble {
 public:
  explicit BrowserDouble(HttpClient& http) : http_(http) {}

  // One exchange with this browser's cookies and nothing else added; cookies of the answer are kept. No redirect is
  // followed.
  HttpResponse send(const std::string& url, HttpRequest request) {
    const auto uri = parse_uri(url);
    EXPECT_TRUE(uri.has_value()) << url;
    if (const std::string cookies = jar_.field_for(*uri); !cookies.empty()) request.headers.add("Cookie", cookies);
    request.target = uri->target();
    auto response = http_.send(*uri, request, SteadyTime::max(), {});
    EXPECT_TRUE(response.has_value()) << url;
    if (!response) return HttpResponse{0, {}, ""};
    jar_.take(*uri, response->headers);
    return *std::move(response);
  }
  // A GET as the address bar sends it.
  HttpResponse get(const std::string& url, HeaderList more = {}) {
    HttpRequest request;
    request.method = "GET";
    request.headers = std::move(more);
    request.headers.add("Sec-Fetch-Mode", "navigate");
    request.headers.add("Sec-Fetch-Dest", "document");
    request.headers.add("Sec-Fetch-Site", "none");
    return send(url, std::move(request));
  }
  // A form's POST with those fields and headers only.
  HttpResponse post(const std::string& url, const FormFields& fields, HeaderList headers) {
    HttpRequest request;
    request.method = "POST";
    request.headers = std::move(headers);
    request.body = form_encode(fields);
    return send(url, std::move(request));
  }
  // What a browser sends with a form of a page of that origin to itself.
  static HeaderList own_form(const std::string& origin) {
    return {{"Origin", origin},
            {"Sec-Fetch-Site", "same-origin"},
            {"Sec-Fetch-Mode", "navigate"},
            {"Sec-Fetch-Dest", "document"},
            {"Content-Type", "application/x-www-form-urlencoded"}};
  }

  // Typed into the address bar; redirects are followed.
  Shown open(const std::string& url) { return settle(url, get(url)); }
  // A link of the page, by its words.
  Shown follow(const Shown& page, std::string_view words) {
    const lab::HtmlLink* link = page.html.link(words);
    EXPECT_NE(link, nullptr) << "no link " << words << " on: " << page.html.text;
    if (link == nullptr) return page;
    const auto uri = lab::resolve(page.uri, link->href);
    return open(uri->text());
  }
  // A button of the page, by its words, after filling in fields of its form.
  Shown press(const Shown& page, std::string_view words, const FormFields& fill = {}) {
    const auto button = page.html.button(words);
    EXPECT_TRUE(button.has_value()) << "no button " << words << " on: " << page.html.text;
    if (!button) return page;
    lab::HtmlForm form = *button->form;
    for (const auto& [name, value] : fill) EXPECT_TRUE(form.fill(name, value)) << name;
    if (!button->button->name.empty()) form.fields.emplace_back(button->button->name, button->button->value);
    const auto uri = lab::resolve(page.uri, form.action);
    return settle(uri->text(), post(uri->text(), form.fields, own_form(page.uri.origin())));
  }
  // The value of a hidden field of the form that holds that button; empty when there is none.
  static std::string field(const Shown& page, std::string_view words, std::string_view name) {
    const auto button = page.html.button(words);
    if (!button) return {};
    for (const auto& [known, value] : button->form->fields) {
      if (known == name) return value;
    }
    return {};
  }

  [[nodiscard]] lab::CookieJar& jar() { return jar_; }

 private:
  Shown settle(std::string url, HttpResponse response) {
    for (int redirects = 0; redirects < 12; ++redirects) {
      const auto uri = parse_uri(url);
      const std::string* location = response.headers.find("Location");
      if (response.status != 303 || location == nullptr) {
        lab::HtmlPage html = lab::read_html(response.body);
        return Shown{*uri, std::move(response), std::move(html)};
      }
      const auto next = lab::resolve(*uri, *location);
      EXPECT_TRUE(next.has_value()) << *location;
      url = next->text();
      response = get(url);
    }
    ADD_FAILURE() << "redirects without end at " << url;
    return Shown{};
  }

  HttpClient& http_;
  lab::CookieJar jar_;
};

}  // namespace postern::test
