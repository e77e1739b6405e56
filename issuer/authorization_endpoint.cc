#include "issuer/authorization_endpoint.h"

#include "issuer/failures.h"
#include "issuer/sign_in_page.h"
#include "wire/base/uri.h"

namespace postern::issuer {
namespace {

constexpr std::string_view kFormType = "application/x-www-form-urlencoded";

// A form of this page, sent by a person's browser from this page. A missing Origin is refused too: browsers send it
// with every POST.
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

HttpResponse untrusted(const Failure& failure) {
  return error_page(400, "This sign-in cannot start", failure.text());
}

}  // namespace

HttpResponse AuthorizationEndpoint::answer_error(const ReturnAddress& address, const Failure& failure) const {
  const auto* error = failure.as<OAuthError>();
  if (error == nullptr) return error_page(500, "Something went wrong here", "Nobody was signed in.");
  const FormFields answer = {{"error", std::string(error->code)}, {"error_description", error->description}};
  return redirect_response(answer_location(address, issuer_, answer));
}

HttpResponse AuthorizationEndpoint::show(const HttpRequest& http) {
  const auto fields = form_decode(http.query());
  if (!fields) return untrusted(fields.error());
  auto address = read_return_address(clients_, *fields);
  if (!address) return untrusted(address.error());
  const ReturnAddress back = *address;
  auto request = read_authorization_request(*std::move(address), *fields);
  if (!request) return answer_error(back, request.error());
  const PendingSignIns::Ticket ticket = pending_.keep(*request);
  return sign_in_page({*request, people_, ticket, sessions_.find(http), env_.clock.now()});
}

HttpResponse AuthorizationEndpoint::choose(const HttpRequest& http) {
  if (auto refused = refuse_foreign_form(http, issuer_)) return *std::move(refused);
  const auto fields = form_decode(http.body, 8);
  if (!fields) return untrusted(fields.error());
  std::optional<std::string> values[4];
  constexpr std::string_view kNames[4] = {"sign_in", "form_token", "person", "cancel"};
  for (std::size_t i = 0; i < 4; ++i) {
    auto value = sole_field(*fields, kNames[i]);
    if (!value) return untrusted(value.error());
    values[i] = *std::move(value);
  }
  const auto& [sign_in, form_token, person, cancel] = values;
  const Person* chosen = people_.find(person.value_or(""));
  if (chosen == nullptr && !cancel)
    return error_page(400, "Nobody was chosen", "Go back and choose a person. Nobody was signed in.");
  auto request = pending_.take(sign_in.value_or(""), form_token.value_or(""));
  if (!request) {
    return error_page(403, "This page is too old",
                      "It was used already, or is older than ten minutes. Start again. Nobody was signed in.");
  }
  if (cancel) return answer_error(request->address, OAuthError{"access_denied", "The sign-in was cancelled."});
  if (const Status allowed = check_person(*chosen, request->scope); !allowed) {
    return answer_error(request->address, allowed.error());
  }
  return answer_code(*std::move(request), *chosen, http);
}

HttpResponse AuthorizationEndpoint::answer_code(AuthorizationRequest request, const Person& person,
                                                const HttpRequest& http) {
  const WallTime now = env_.clock.now();
  const ReturnAddress address = request.address;
  // The same person may go on with the earlier sign-in, unless the client wants a newer one.
  const auto session = sessions_.find(http);
  const bool goes_on = session && session->subject == person.subject && !request.fresh_sign_in &&
                       (!request.max_age || now - session->auth_time < *request.max_age);
  const WallTime auth_time = goes_on ? session->auth_time : now;
  const std::string code = codes_.issue({std::move(request), person, auth_time});
  HttpResponse response = redirect_response(answer_location(address, issuer_, {{"code", code}}));
  if (!goes_on) response.headers.add("Set-Cookie", sessions_.start({person.subject, auth_time}));
  return response;
}

}  // namespace postern::issuer
