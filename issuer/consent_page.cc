#include "issuer/consent_page.h"

namespace postern::issuer {
namespace {

constexpr std::pair<std::string_view, std::string_view> kScopeWords[] = {
    {"desk:read", "Read tickets, customers, orders and returns"},
    {"refunds:write", "Ask for refunds, which a supervisor then approves or not"},
    {"refunds:approve", "Approve refunds"},
    {"openid", "Know who you are"},
    {kOfflineAccess, "Go on without you for up to 24 hours, or until it gives that up"},
};

std::string warnings(const AuthorizationRequest& request) {
  const Client& client = *request.address.client;
  const std::string host = redirect_host(client.client_id);
  std::string out;
  if (client.origin == ClientOrigin::kRegistered) {
    out += paragraph("warning",
                     "Nobody here has checked this client. It registered itself, and its name is its own word.");
  }
  if (client.origin == ClientOrigin::kMetadataDocument) {
    out += paragraph("warning", "Nobody here has checked this client. Its name is the word of " + host + ".");
    if (client.redirects_to_this_machine_only()) {
      out += paragraph(
          "warning", "The answer goes to a program on this computer, and any program here can say that it is " + host +
                         ". Allow it only if you have just started that program yourself.");
    }
  }
  if (!request.device_id.empty()) {
    out += paragraph("warning",
                     "The answer goes to the device that shows " + request.user_code +
                         ". Allow it only if that device is before you. If somebody sent you the code, deny it.");
  }
  return out;
}

std::string facts(const ConsentPage& page) {
  const Client& client = *page.request.address.client;
  std::string out = "<dl>\n" + fact("Client", client_words(client));
  if (client.origin == ClientOrigin::kMetadataDocument) out += fact("Calls itself", "\"" + client.name + "\"");
  out += fact("You are", page.person.name) + fact("For", page.request.resource);
  if (page.request.device_id.empty()) {
    const std::string& uri = page.request.address.redirect_uri;
    out += fact("Answer goes to", redirect_host(uri) + (is_loopback_redirect(uri) ? " (this computer)" : ""));
  }
  return out + "</dl>\n";
}

}  // namespace

std::string scope_words(std::string_view scope) {
  for (const auto& [name, words] : kScopeWords) {
    if (name == scope) return std::string(words) + " (" + std::string(name) + ")";
  }
  return std::string(scope);
}

HttpResponse consent_page(const ConsentPage& page) {
  std::string body = facts(page) + "<p>It asks to:</p>\n<ul class=\"scopes\">\n";
  for (const std::string& scope : page.request.scope.tokens()) body += "<li>" + escaped(scope_words(scope)) + "</li>\n";
  body += "</ul>\n" + warnings(page.request) + form_start("/consent", page.ticket);
  body +=
      "<ul>\n<li><button name=\"decision\" value=\"deny\">Deny<span>the client gets nothing</span></button></li>\n"
      "<li><button name=\"decision\" value=\"allow\">Allow<span>the client gets what it asks for</span></button></li>\n"
      "</ul>\n</form>\n";
  return html_page(200, "Allow this client?", body, redirect_origin(page.request.address.redirect_uri));
}

}  // namespace postern::issuer
