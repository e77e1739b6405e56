#include "issuer/device_endpoint.h"

#include "issuer/client_answer.h"
#include "issuer/failures.h"
#include "issuer/page.h"
#include "wire/base/json.h"
#include "wire/base/uri.h"
#include "wire/base/visible_text.h"

namespace postern::issuer {
namespace {

HttpResponse entry_page(int status, std::string_view code, std::string_view fault) {
  std::string body =
      "<p>Enter the code that the device shows. Go on only if you started the sign-in on that device "
      "yourself.</p>\n";
  if (!fault.empty()) body += "<p class=\"warning\" role=\"alert\">" + escaped(fault) + "</p>\n";
  body +=
      "<form method=\"post\" action=\"/device\" autocomplete=\"off\">\n<p><label for=\"user_code\">Code</label>\n"
      "<input id=\"user_code\" name=\"user_code\" maxlength=\"20\" spellcheck=\"false\" autocapitalize=\"characters\" "
      "value=\"" +
      escaped(code) +
      "\"></p>\n<ul>\n<li><button>Go on<span>you are asked again before the device gets "
      "anything</span></button></li>\n</ul>\n</form>\n";
  return html_page(status, "Sign in on a device", body);
}

}  // namespace

HttpReply DeviceEndpoint::start(const HttpRequest& http) {
  auto fields = read_client_form(http);
  if (!fields) return client_error(fields.error());
  const std::string client_id = value_of(*fields, "client_id");
  if (!desk_.clients.needs_fetch(client_id)) return start_known(http, *fields);
  return Blocking{[this, http, client_id, fields = *std::move(fields)](const std::stop_token& stop) -> HttpReply {
    const auto client = desk_.clients.documents().fetch(client_id, stop);
    if (!client) return client_error(OAuthError{"invalid_client", client.error().text()});
    return start_known(http, fields);
  }};
}

HttpResponse DeviceEndpoint::start_known(const HttpRequest& http, const FormFields& fields) {
  const auto client_id = desk_.clients.authenticate(http, fields);
  if (!client_id) return client_error(client_id.error());
  ClientRef client = desk_.clients.find(*client_id);
  if (client == nullptr)
    return client_error(OAuthError{"invalid_client", "No client with that client_id is known here."});
  if (!client->grants.device_code)
    return client_error(OAuthError{"unauthorized_client", "The client may not use this grant."});
  auto asked = read_asked(*client, fields, desk_.scopes);
  if (!asked) return client_error(asked.error());
  if (!starts_.admit()) return client_busy(starts_.window());
  const DeviceCodes::Started started = desk_.devices.start(std::move(client), *std::move(asked));
  const std::string place = desk_.issuer + "/device";
  return client_answer(200, Json::object({{"device_code", started.device_code},
                                          {"user_code", started.user_code},
                                          {"verification_uri", place},
                                          {"verification_uri_complete", place + "?user_code=" + started.user_code},
                                          {"expires_in", std::int64_t{DeviceCodes::kLifetime.count()}},
                                          {"interval", std::int64_t{DeviceCodes::kInterval.count()}}}));
}

HttpResponse DeviceEndpoint::show(const HttpRequest& http) const {
  const auto fields = form_decode(http.query());
  return entry_page(200, fields ? normal_user_code(value_of(*fields, "user_code")) : std::string(), "");
}

HttpResponse DeviceEndpoint::enter(const HttpRequest& http) {
  if (auto refused = refuse_foreign_form(http, desk_.issuer)) return *std::move(refused);
  if (!wrong_codes_.has_room()) {
    HttpResponse response =
        error_page(429, "Too many wrong codes", "Wait a minute, then enter the code again. Nobody was signed in.");
    response.headers.set("Retry-After", std::to_string(wrong_codes_.window().count()));
    return response;
  }
  const auto fields = form_decode(http.body, 4);
  const std::string code = fields ? normal_user_code(value_of(*fields, "user_code")) : std::string();
  auto request = code.empty() ? std::nullopt : desk_.devices.find(code);
  if (request) return authorization_.show_people(*std::move(request), http);
  static_cast<void>(wrong_codes_.admit());
  return entry_page(400, code, "No device waits with that code. Look at the device again; codes last ten minutes.");
}

}  // namespace postern::issuer
