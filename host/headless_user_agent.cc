#include "host/headless_user_agent.h"

#include "wire/base/json.h"
#include "wire/base/visible_text.h"

namespace postern::host {
namespace {

// What an error answer says of itself, made visible: {"error":...,"error_description":...} or plain text.
std::string reason_in(const HttpResponse& response) {
  const Result<Json> json = parse_json(response.body);
  std::string reason;
  if (json) {
    reason = json->string_at("error");
    if (const std::string_view text = json->string_at("error_description"); !text.empty()) {
      reason += (reason.empty() ? "" : ": ") + std::string(text);
    }
  }
  if (reason.empty()) reason = "status " + std::to_string(response.status);
  return visible_line(reason, 200);
}

}  // namespace

HeadlessUserAgent::HeadlessUserAgent(const Clock& clock, HttpClient& http, Uri issuer, std::string person,
                                     HeadlessSecret secret)
    : clock_(clock), http_(http), issuer_(std::move(issuer)), person_(std::move(person)), secret_(std::move(secret)) {}

Result<std::string> HeadlessUserAgent::redirect_uri() {
  return std::string("http://127.0.0.1/callback");
}

Result<std::string> HeadlessUserAgent::authorize(const Uri& authorization, std::stop_token stop) {
  if (authorization.origin() != issuer_.origin())
    return HeadlessRefused{person_, "the authorization endpoint is not the issuer's"};
  POSTERN_TRY(FormFields fields, form_decode(authorization.query));
  fields.emplace_back("person", person_);
  fields.emplace_back("secret", secret_.reveal(Passkey<HeadlessUserAgent>{}));
  Uri endpoint = issuer_;
  endpoint.path = "/headless";
  endpoint.query.clear();
  endpoint.has_query = false;
  HttpRequest request;
  request.method = "POST";
  request.target = endpoint.target();
  request.headers.add("Content-Type", "application/x-www-form-urlencoded");
  request.body = form_encode(fields);
  wipe(fields.back().second);
  const Result<HttpResponse> response =
      http_.send(endpoint, request, clock_.steady_now() + std::chrono::seconds(15), std::move(stop));
  wipe(request.body);
  if (!response) return response.error();
  const std::string* location = response->headers.find("Location");
  if (response->status != 303 || location == nullptr) return HeadlessRefused{person_, reason_in(*response)};
  return *location;
}

std::string HeadlessRefused::text() const {
  return visible_line(person, 60) + " was not signed in at the training issuer: " + reason +
         ". Nothing was sent to the model.";
}

}  // namespace postern::host
