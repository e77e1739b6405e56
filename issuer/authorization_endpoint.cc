#include "issuer/authorization_endpoint.h"

#include "issuer/consent_page.h"
#include "issuer/failures.h"
#include "issuer/sign_in_page.h"
#include "wire/base/secret.h"
#include "wire/base/uri.h"

namespace postern::issuer {
namespace {

constexpr std::string_view kFormType = "application/x-www-form-urlencoded";

HttpResponse untrusted(const Failure& failure) {
  return error_page(400, "This sign-in cannot start", failure.text());
}

HttpResponse too_old() {
  return error_page(403, "This page is too old",
                    "It was used already, or is older than ten minutes. Start again. Nobody was signed in.");
}

// The fields of our own form, by name. One that is there twice is none of ours.
Result<std::vector<std::string>> read_form(const HttpRequest& http, std::initializer_list<std::string_view> names) {
  POSTERN_TRY(const FormFields fields, form_decode(http.body, 8));
  std::vector<std::string> values;
  for (const std::string_view name : names) {
    POSTERN_TRY(auto value, sole_field(fields, name));
    values.push_back(std::move(value).value_or(""));
  }
  return values;
}

}  // namespace

// A missing Origin is refused too: browsers send it with every POST.
std::optional<HttpResponse> refuse_foreign_form(const HttpRequest& request, std::string_view own_origin) {
  const auto origins = request.headers.all("Origin");
  const std::string* site = request.headers.find("Sec-Fetch-Site");
  if (origins.size() != 1 || origins.front() != own_origin || (site != nullptr && *site != "same-origin")) {
    return error_page(403, "Not from this page", "The form came from elsewhere. Nobody was signed in.");
  }
  const std::string* type = request.headers.find("Content-Type");
  if (type == nullptr || media_type(*type) != kFormType) {
    return error_page(415, "Not a form", "Only the form of the sign-in page is taken here. Nobody was signed in.");
  }
  return std::nullopt;
}

HttpReply AuthorizationEndpoint::show(const HttpRequest& http) {
  auto fields = form_decode(http.query());
  if (!fields) return untrusted(fields.error());
  const std::string client_id = value_of(*fields, "client_id");
  if (!desk_.clients.needs_fetch(client_id)) return show_known(http, *fields);
  return Blocking{[this, http, client_id, fields = *std::move(fields)](const std::stop_token& stop) -> HttpReply {
    const auto client = desk_.clients.documents().fetch(client_id, stop);
    if (!client) return untrusted(client.error());
    return show_known(http, fields);
  }};
}

HttpResponse AuthorizationEndpoint::show_known(const HttpRequest& http, const FormFields& fields) {
  auto address = read_return_address(desk_.clients, fields);
  if (!address) return untrusted(address.error());
  AuthorizationRequest back;
  back.address = *address;
  auto request = read_authorization_request(*std::move(address), fields, desk_.scopes);
  if (!request) return answer_error(back, request.error());
  return show_people(*std::move(request), http);
}

HttpResponse AuthorizationEndpoint::show_people(AuthorizationRequest request, const HttpRequest& http) {
  const Ticket ticket = sign_ins_.keep(request);
  return sign_in_page({request, desk_.people, ticket, sessions_.find(http), desk_.env.clock.now()});
}

HttpResponse AuthorizationEndpoint::choose(const HttpRequest& http) {
  if (auto refused = refuse_foreign_form(http, desk_.issuer)) return *std::move(refused);
  const auto form = read_form(http, {"ticket", "form_token", "person", "cancel"});
  if (!form) return untrusted(form.error());
  const bool cancelled = !(*form)[3].empty();
  const Person* chosen = desk_.people.find((*form)[2]);
  if (chosen == nullptr && !cancelled)
    return error_page(400, "Nobody was chosen", "Go back and choose a person. Nobody was signed in.");
  auto request = sign_ins_.take((*form)[0], (*form)[1]);
  if (!request) return too_old();
  if (cancelled) return answer_error(*request, OAuthError{"access_denied", "The sign-in was cancelled."});
  if (const Status allowed = desk_.scopes.check({*request->address.client, chosen, false, request->scope}); !allowed) {
    return answer_error(*request, allowed.error());
  }
  return signed_in(*std::move(request), *chosen, http);
}

HttpResponse AuthorizationEndpoint::signed_in(AuthorizationRequest request, const Person& person,
                                              const HttpRequest& http) {
  const WallTime now = desk_.env.clock.now();
  // The same person may go on with the earlier sign-in, unless the client wants a newer one.
  const auto session = sessions_.find(http);
  const bool goes_on = session && session->subject == person.subject && !request.fresh_sign_in &&
                       (!request.max_age || now - session->auth_time < *request.max_age);
  const WallTime auth_time = goes_on ? session->auth_time : now;
  std::string session_key = SignInSessions::key_of(http);
  std::string set_cookie;
  if (!goes_on) {
    SignInSessions::Started started = sessions_.start({person.subject, auth_time});
    session_key = std::move(started.key);
    set_cookie = std::move(started.set_cookie);
  }
  HttpResponse response;
  if (consents_.must_ask(person, request)) {
    const Ticket ticket = decisions_.keep({request, person, auth_time, session_key});
    response = consent_page({request, person, ticket});
  } else {
    response = answer_grant(request, person, auth_time);
  }
  if (!set_cookie.empty()) response.headers.add("Set-Cookie", std::move(set_cookie));
  return response;
}

HttpResponse AuthorizationEndpoint::decide(const HttpRequest& http) {
  if (auto refused = refuse_foreign_form(http, desk_.issuer)) return *std::move(refused);
  const auto form = read_form(http, {"ticket", "form_token", "decision"});
  if (!form) return untrusted(form.error());
  const std::string& word = (*form)[2];
  if (word != "allow" && word != "deny")
    return error_page(400, "Nothing was decided", "Go back and choose. The client got nothing.");
  auto decision = decisions_.take((*form)[0], (*form)[1]);
  if (!decision) return too_old();
  // Only the browser in which the person was chosen may decide for that person.
  if (!equal_in_constant_time(decision->session_key, SignInSessions::key_of(http))) {
    return error_page(403, "Not from this browser", "The page was opened in another browser. The client got nothing.");
  }
  if (word == "deny") return answer_error(decision->request, OAuthError{"access_denied", "The person said no."});
  consents_.remember(decision->person, decision->request);
  return answer_grant(decision->request, decision->person, decision->auth_time);
}

HttpResponse AuthorizationEndpoint::answer_grant(const AuthorizationRequest& request, const Person& person,
                                                 WallTime auth_time) {
  Grant grant = make_grant(desk_.env.random, request, person, auth_time);
  if (!request.device_id.empty()) {
    if (!desk_.devices.allow(request.device_id, std::move(grant))) return too_old();
    return html_page(200, "The device may go on",
                     paragraph("", "It will notice within a few seconds. You can close this page."));
  }
  const std::string code = desk_.codes.issue({std::move(grant), request.address.redirect_uri, *request.challenge});
  return redirect_response(answer_location(request.address, desk_.issuer, {{"code", code}}));
}

HttpResponse AuthorizationEndpoint::answer_error(const AuthorizationRequest& request, const Failure& failure) {
  const auto* error = failure.as<OAuthError>();
  if (error == nullptr) return error_page(500, "Something went wrong here", "Nobody was signed in.");
  if (!request.device_id.empty()) {
    static_cast<void>(desk_.devices.deny(request.device_id));
    return error_page(200, "The device gets nothing", error->description);
  }
  const FormFields answer = {{"error", std::string(error->code)}, {"error_description", error->description}};
  return redirect_response(answer_location(request.address, desk_.issuer, answer));
}

}  // namespace postern::issuer
