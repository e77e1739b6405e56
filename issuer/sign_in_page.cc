#include "issuer/sign_in_page.h"

#include <string>

namespace postern::issuer {
namespace {

std::string person_button(const SignInPage& page, const Person& person) {
  std::string line = person.description;
  if (page.session && page.session->subject == person.subject) {
    const auto age = std::chrono::duration_cast<std::chrono::minutes>(page.now - page.session->auth_time);
    line += (line.empty() ? "signed in here " : "; signed in here ") + std::to_string(age.count()) + " min ago";
  }
  return "<li><button name=\"person\" value=\"" + escaped(person.subject) + "\">" + escaped(person.name) + "<span>" +
         escaped(line) + "</span></button></li>\n";
}

}  // namespace

HttpResponse sign_in_page(const SignInPage& page) {
  const AuthorizationRequest& request = page.request;
  const std::string origin = redirect_origin(request.address.redirect_uri);
  std::string body = "<dl>\n" + fact("Asked by", client_words(*request.address.client)) +
                     fact("For", request.resource) + fact("To do", request.scope.text());
  body += request.device_id.empty() ? fact("Answer goes to", origin) : fact("On a device showing", request.user_code);
  body += "</dl>\n" + form_start("/authorize", page.ticket) + "<ul>\n";
  for (const Person& person : page.people.all()) body += person_button(page, person);
  body +=
      "<li><button name=\"cancel\" value=\"yes\">Cancel<span>nobody is signed "
      "in</span></button></li>\n</ul>\n</form>\n";
  return html_page(200, "Who is signing in?", body, origin);
}

}  // namespace postern::issuer
