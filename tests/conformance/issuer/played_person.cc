#include "tests/conformance/issuer/played_person.h"

#include <utility>

#include "wire/base/uri.h"

namespace postern::conformance {
namespace {

std::string hidden_field(const HttpResponse& page, const std::string& name) {
  const std::string before = "name=\"" + name + "\" value=\"";
  const std::size_t start = page.body.find(before);
  if (start == std::string::npos) return "";
  const std::size_t from = start + before.size();
  return page.body.substr(from, page.body.find('"', from) - from);
}

std::string cookie_of(const HttpResponse& response) {
  const std::string* cookie = response.headers.find("Set-Cookie");
  return cookie == nullptr ? std::string() : cookie->substr(0, cookie->find(';'));
}

}  // namespace

PlayedPerson::PlayedPerson(std::string issuer, std::string client_id, std::string subject, Routes routes)
    : issuer_(std::move(issuer)),
      client_id_(std::move(client_id)),
      subject_(std::move(subject)),
      product_(std::move(routes)) {}

HttpResponse PlayedPerson::press(const HttpResponse& page, const char* path, const char* name, const std::string& value,
                                 const std::string& cookie) const {
  HttpRequest request{
      "POST",
      path,
      {{"Host", parse_uri(issuer_)->authority()},
       {"Origin", issuer_},
       {"Sec-Fetch-Site", "same-origin"},
       {"Content-Type", "application/x-www-form-urlencoded"}},
      form_encode(
          {{"ticket", hidden_field(page, "ticket")}, {"form_token", hidden_field(page, "form_token")}, {name, value}}),
      ""};
  if (!cookie.empty()) request.headers.add("Cookie", cookie);
  return std::get<HttpResponse>(product_.handle(request));
}

HttpReply PlayedPerson::authorize(const HttpRequest& request) const {
  HttpReply reply = product_.handle(request);
  const auto fields = form_decode(request.query());
  const auto client = fields ? sole_field(*fields, "client_id") : Result<std::optional<std::string>>(std::nullopt);
  const auto* page = std::get_if<HttpResponse>(&reply);
  if (!client || *client != client_id_ || page == nullptr || page->status != 200) return reply;
  const HttpResponse chosen = press(*page, "/authorize", "person", subject_, "");
  if (chosen.status != 200) return chosen;
  return press(chosen, "/consent", "decision", "allow", cookie_of(chosen));
}

Routes PlayedPerson::routes() {
  Routes routes;
  routes.add_any("/authorize", [this](const HttpRequest& request) {
    return request.method == "GET" ? authorize(request) : product_.handle(request);
  });
  routes.fallback([this](const HttpRequest& request) { return product_.handle(request); });
  return routes;
}

}  // namespace postern::conformance
