#include "issuer/page.h"

#include "wire/base/embedded.h"
#include "wire/base/uri.h"
#include "wire/base/visible_text.h"
#include "wire/http_message/html_text.h"

POSTERN_EMBEDDED(issuer_page)

namespace postern::issuer {

std::string escaped(std::string_view text) {
  std::string out;
  append_html_text(out, visible_line(text, 400));
  return out;
}

std::string fact(std::string_view name, std::string_view value) {
  return "<dt>" + escaped(name) + "</dt><dd>" + escaped(value) + "</dd>\n";
}

std::string paragraph(std::string_view css_class, std::string_view text) {
  return "<p class=\"" + std::string(css_class) + "\">" + escaped(text) + "</p>\n";
}

std::string form_start(std::string_view action, const Ticket& ticket) {
  return "<form method=\"post\" action=\"" + escaped(action) +
         "\" autocomplete=\"off\">\n<input type=\"hidden\" name=\"ticket\" value=\"" + escaped(ticket.id) +
         "\">\n<input type=\"hidden\" name=\"form_token\" value=\"" + escaped(ticket.form_token) + "\">\n";
}

HttpResponse html_page(int status, std::string_view title, std::string_view body, std::string_view form_target) {
  HttpResponse response{status, {{"Content-Type", "text/html; charset=utf-8"}}, ""};
  response.body =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
      escaped(title) +
      " - Postern training issuer</title>\n<link rel=\"stylesheet\" href=\"/sign-in.css\">\n</head>\n<body>\n<main>\n"
      "<p class=\"notice\">This is a training stand-in for an identity provider. It asks for no password: you choose "
      "who you are.</p>\n<h1>" +
      escaped(title) + "</h1>\n";
  response.body.append(body).append("</main>\n</body>\n</html>\n");
  set_page_headers(response, form_target);
  return response;
}

HttpResponse error_page(int status, std::string_view title, std::string_view sentence) {
  return html_page(status, title, "<p>" + escaped(sentence) + "</p>\n");
}

HttpResponse style_sheet() {
  HttpResponse response{200, {{"Content-Type", "text/css; charset=utf-8"}}, ""};
  response.body = embedded::issuer_page().front().content;
  set_page_headers(response, "");
  return response;
}

void set_page_headers(HttpResponse& response, std::string_view form_target) {
  // The browser applies form-action to the redirect that answers the form too, so the client's origin has to be in it.
  std::string policy = "default-src 'none'; style-src 'self'; form-action 'self'";
  if (!form_target.empty()) policy.append(" ").append(form_target);
  policy += "; frame-ancestors 'none'; base-uri 'none'";
  response.headers.set("Content-Security-Policy", std::move(policy));
  response.headers.set("Cache-Control", "no-store");
  // Not no-referrer: under that a browser sends "Origin: null" with our own form.
  response.headers.set("Referrer-Policy", "same-origin");
  response.headers.set("X-Content-Type-Options", "nosniff");
  response.headers.set("X-Frame-Options", "DENY");
  response.headers.set("Cross-Origin-Opener-Policy", "same-origin");
  response.headers.set("Cross-Origin-Resource-Policy", "same-origin");
  response.headers.set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()");
  response.headers.set("X-Robots-Tag", "noindex");
}

std::string redirect_host(const std::string& redirect_uri) {
  const auto uri = parse_uri(redirect_uri);
  return uri ? uri->authority() : std::string();
}

std::string redirect_origin(const std::string& redirect_uri) {
  const auto uri = parse_uri(redirect_uri);
  return uri ? uri->origin() : std::string();
}

std::string client_words(const Client& client) {
  switch (client.origin) {
    case ClientOrigin::kConfigured:
      return client.name;
    case ClientOrigin::kRegistered:
      return "a program that calls itself \"" + client.name + "\"";
    case ClientOrigin::kMetadataDocument:
      return redirect_host(client.client_id);
  }
  return "";
}

}  // namespace postern::issuer
