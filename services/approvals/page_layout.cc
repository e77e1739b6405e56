#include "services/approvals/page_layout.h"

#include <algorithm>

#include "wire/base/check.h"
#include "wire/base/digest.h"
#include "wire/base/embedded.h"

POSTERN_EMBEDDED(services_approvals_assets)

namespace postern::approvals {
namespace {

std::string_view asset(std::string_view name) {
  const auto assets = embedded::services_approvals_assets();
  const auto found =
      std::find_if(assets.begin(), assets.end(), [&](const EmbeddedFile& file) { return file.name == name; });
  POSTERN_CHECK(found != assets.end());
  return found->content;
}

std::string hashed_path(std::string_view name, std::string_view extension) {
  constexpr std::size_t kDigits = 8;
  return "/static/page." + sha256_hex(asset(name)).substr(0, kDigits) + std::string(extension);
}

Html header_of(const PageVisitor& visitor) {
  Html html;
  html.raw("<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header class=\"bar\">\n")
      .raw("<p class=\"brand\"><a href=\"/approvals\">Approvals</a></p>\n");
  if (!visitor.name.empty()) {
    html.raw("<nav aria-label=\"Pages\"><a href=\"/approvals\">All requests</a>");
    if (visitor.supervisor) html.raw(" <a href=\"/audit\">Audit</a>");
    html.raw("</nav>\n<div class=\"who\"><span>Signed in as <bdi class=\"name\">")
        .text(visitor.name)
        .raw("</bdi></span>\n")
        .raw("<form method=\"post\" action=\"/logout\"><input type=\"hidden\" name=\"csrf\"")
        .attribute("value", visitor.logout_form_token)
        .raw("><button class=\"quiet\" type=\"submit\">Sign out</button></form></div>\n");
  }
  return html.raw("</header>\n");
}

}  // namespace

const std::string& style_path() {
  static const std::string kPath = hashed_path("assets/page.css", ".css");
  return kPath;
}

const std::string& script_path() {
  static const std::string kPath = hashed_path("assets/page.js", ".js");
  return kPath;
}

const std::string& icon_path() {
  static const std::string kPath = hashed_path("assets/page.svg", ".svg");
  return kPath;
}

HttpResponse static_asset(std::string_view path) {
  struct Asset {
    const std::string& path;
    std::string_view name;
    const char* type;
  };
  const Asset assets[] = {{style_path(), "assets/page.css", "text/css; charset=utf-8"},
                          {script_path(), "assets/page.js", "text/javascript; charset=utf-8"},
                          {icon_path(), "assets/page.svg", "image/svg+xml"}};
  for (const Asset& known : assets) {
    if (known.path != path) continue;
    HttpResponse response;
    response.headers.set("Content-Type", known.type);
    response.body = asset(known.name);
    return response;
  }
  return plain_page({404, "Not found", "There is no such page.", "/approvals", "All requests"}, {});
}

HttpResponse page_response(int status, const PageFrame& frame) {
  Html html;
  html.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
      .raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
      .raw("<meta name=\"color-scheme\" content=\"light dark\">\n<title>")
      .text(frame.title)
      .raw(" · Postern approvals</title>\n<link rel=\"icon\"")
      .attribute("href", icon_path())
      .raw(">\n<link rel=\"stylesheet\"")
      .attribute("href", style_path())
      .raw(">\n<script defer")
      .attribute("src", script_path())
      .raw("></script>\n</head>\n<body>\n")
      .add(header_of(frame.visitor))
      .raw("<main id=\"main\" tabindex=\"-1\">\n")
      .add(frame.main)
      .raw("</main>\n</body>\n</html>\n");
  HttpResponse response;
  response.status = status;
  response.headers.set("Content-Type", "text/html; charset=utf-8");
  response.body = html.markup();
  return response;
}

void set_page_headers(HttpResponse& response) {
  HeaderList& headers = response.headers;
  headers.set("Content-Security-Policy",
              "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
              "form-action 'self'; "
              "frame-ancestors 'none'; base-uri 'none'");
  headers.set("Cache-Control", "no-store");
  headers.set("Referrer-Policy", "same-origin");
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
  headers.set(
      "Permissions-Policy",
      "accelerometer=(), camera=(), display-capture=(), fullscreen=(), geolocation=(), gyroscope=(), microphone=(), "
      "midi=(), payment=(), usb=()");
  headers.set("X-Frame-Options", "DENY");
  headers.set("X-Robots-Tag", "noindex");
}

HttpResponse plain_page(const PlainPage& page, const PageVisitor& visitor) {
  Html html;
  html.raw("<h1>").text(page.title).raw("</h1>\n<p class=\"notice\">").text(page.sentence).raw("</p>\n");
  if (!page.link_target.empty()) {
    html.raw("<p class=\"actions\"><a class=\"button\"")
        .attribute("href", page.link_target)
        .raw(">")
        .text(page.link_text)
        .raw("</a></p>\n");
  }
  return page_response(page.status, {page.title, visitor, std::move(html)});
}

}  // namespace postern::approvals
