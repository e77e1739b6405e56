#include "issuer/sign_in_page.h"

#include "wire/base/embedded.h"
#include "wire/base/uri.h"
#include "wire/base/visible_text.h"
#include "wire/http_message/html_text.h"

POSTERN_EMBEDDED(issuer_page)

namespace postern::issuer {
namespace {

// Text for HTML content and for attribute values in double quotes; hidden characters have become marks before.
std::string escaped(std::string_view text) {
  std::string out;
  append_html_text(out, visible_line(text, 400));
  return out;
}

HttpResponse html_page(int status, std::string_view title, std::string_view body) {
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
  return response;
}

std::string fact(std::string_view name, std::string_view value) {
  return "<dt>" + escaped(name) + "</dt><dd>" + escaped(value) + "</dd>\n";
}

std::string person_button(const SignInPage& page, const Person& person) {
  std::string line = person.description;
  if (page.session && page.session->subject == person.subject) {
    const auto age = std::chrono::duration_cast<std::chrono::minutes>(page.now - page.session->auth_time);
    line += (line.empty() ? "signed in here " : "; signed in here ") + std::to_string(age.count()) + " min ago";
  }
  return "<li><button name=\"person\" value=\"" + escaped(person.subject) + "\">" + escaped(person.name) + "<span>" +
         escaped(line) + "</span></button></li>\n";
}

std::string origin_of(const std::string& redirect_uri) {
  const auto uri = parse_uri(redirect_uri);
  return uri ? uri->origin() : std::string();
}

}  // namespace

HttpResponse sign_in_page(const SignInPage& page) {
  const AuthorizationRequest& request = page.request;
  const std::string origin = origin_of(request.address.redirect_uri);
  std::string body = "<dl>\n" + fact("Asked by", request.address.client->name) + fact("For", request.resource) +
                     fact("To do", request.scope.text()) + fact("Answer goes to", origin) + "</dl>\n";
  body +=
      "<form method=\"post\" action=\"/authorize\" autocomplete=\"off\">\n<input type=\"hidden\" name=\"sign_in\" "
      "value=\"" +
      escaped(page.ticket.id) + "\">\n<input type=\"hidden\" name=\"form_token\" value=\"" +
      escaped(page.ticket.form_token) + "\">\n<ul>\n";
  for (const Person& person : page.people.all()) body += person_button(page, person);
  body +=
      "<li><button name=\"cancel\" value=\"yes\">Cancel<span>nobody is signed "
      "in</span></button></li>\n</ul>\n</form>\n";
  HttpResponse response = html_page(200, "Who is signing in?", body);
  set_page_headers(response, origin);
  return response;
}

HttpResponse error_page(int status, std::string_view title, std::string_view sentence) {
  HttpResponse response = html_page(status, title, "<p>" + escaped(sentence) + "</p>\n");
  set_page_headers(response, "");
  return response;
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

}  // namespace postern::issuer
