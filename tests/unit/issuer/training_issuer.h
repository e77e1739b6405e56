// The training issuer in memory, with the clients of a local stack, and a browser's way through it.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "issuer/authorization_server.h"
#include "tests/support/manual_clock.h"
#include "tests/support/refused.h"
#include "tests/support/seeded_random.h"
#include "wire/base/digest.h"
#include "wire/base/json.h"
#include "wire/base/uri.h"

namespace postern::test {

inline constexpr const char* kIssuer = "http://127.0.0.1:8930";
inline constexpr const char* kDesk = "http://127.0.0.1:8931/mcp";
inline constexpr const char* kPage = "http://127.0.0.1:8933/approvals";
inline constexpr const char* kHostRedirect = "http://127.0.0.1:49152/callback";
inline constexpr const char* kPageRedirect = "http://127.0.0.1:8933/callback";
// RFC 7636 appendix B.
inline constexpr const char* kVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
inline constexpr const char* kChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
inline constexpr const char* kHeadlessSecret = "hs_0123456789abcdef0123456789abcdef";

inline constexpr const char* kClientsJson = R"([
  {"client_id":"postern-host","name":"Postern","application_type":"native","redirect_uris":["http://127.0.0.1/callback"],
   "scopes":["desk:read","refunds:write"],"resources":["http://127.0.0.1:8931/mcp"],"headless":true,"first_party":true},
  {"client_id":"postern-approvals","name":"Approval page","application_type":"web",
   "redirect_uris":["http://127.0.0.1:8933/callback"],"scopes":["openid","desk:read","refunds:approve"],
   "resources":["http://127.0.0.1:8933/approvals"],"first_party":true},
  {"client_id":"partner-portal","name":"Partner's portal","application_type":"web",
   "redirect_uris":["https://portal.test/cb?tenant=1"],"scopes":["desk:read"],"resources":["https://portal.test/api"],"first_party":true},
  {"client_id":"all-mighty","name":"May ask for all","application_type":"native","redirect_uris":["http://127.0.0.1/callback"],
   "scopes":["desk:read","refunds:write","refunds:approve"],"resources":["http://127.0.0.1:8931/mcp"],"headless":true,
   "first_party":true},
  {"client_id":"night-shift","name":"Night shift","application_type":"native","redirect_uris":["http://127.0.0.1/callback"],
   "scopes":["desk:read","refunds:write"],"resources":["http://127.0.0.1:8931/mcp"],"headless":true,
   "grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:device_code"]},
  {"client_id":"back-office","name":"Back office","application_type":"web","redirect_uris":["https://office.test/callback"],
   "scopes":["desk:read"],"resources":["http://127.0.0.1:8931/mcp"],"first_party":true,
   "grant_types":["authorization_code","refresh_token"],
   "client_secret_sha256":"d74ff0ee8da3b9806b18c877dbf29bbde50b5bd8e4dad7a3a725000feb82e8f1"}])";
// The secret of back-office.
inline constexpr const char* kOfficeSecret = "pass";

inline constexpr const char* kStrangersJson =
    R"({"registration":true,"metadata_documents":true,"scopes":["desk:read","refunds:write"],
        "resources":["http://127.0.0.1:8931/mcp"]})";

class TrainingIssuer : public testing::Test {
 protected:
  using Changes = std::initializer_list<std::pair<const char*, const char*>>;  // a null value removes the parameter

  static FormFields host_request(Changes changes = {}) {
    return changed({{"response_type", "code"},
                    {"client_id", "postern-host"},
                    {"redirect_uri", kHostRedirect},
                    {"code_challenge", kChallenge},
                    {"code_challenge_method", "S256"},
                    {"state", "st-1"},
                    {"resource", kDesk},
                    {"scope", "desk:read"}},
                   changes);
  }
  static FormFields page_request(Changes changes = {}) {
    return changed({{"response_type", "code"},
                    {"client_id", "postern-approvals"},
                    {"redirect_uri", kPageRedirect},
                    {"code_challenge", kChallenge},
                    {"code_challenge_method", "S256"},
                    {"state", "st-2"},
                    {"resource", kPage},
                    {"scope", "openid desk:read"},
                    {"nonce", "n-1"}},
                   changes);
  }
  static FormFields changed(FormFields fields, Changes changes) {
    for (const auto& [name, value] : changes) {
      std::erase_if(fields, [name = std::string(name)](const auto& field) { return field.first == name; });
      if (value != nullptr) fields.emplace_back(name, value);
    }
    return fields;
  }

  HttpResponse send(HttpRequest request) {
    if (!request.headers.has("Host")) request.headers.add("Host", "127.0.0.1:8930");
    HttpReply reply = routes_.handle(request);
    while (auto* blocking = std::get_if<Blocking>(&reply)) reply = blocking->work({});
    return std::get<HttpResponse>(reply);
  }
  HttpResponse get(const std::string& target, HeaderList headers = {}) {
    return send({"GET", target, std::move(headers), "", ""});
  }
  HttpResponse post(const std::string& path, const FormFields& fields, HeaderList headers = {}) {
    headers.add("Content-Type", "application/x-www-form-urlencoded");
    return send({"POST", path, std::move(headers), form_encode(fields), ""});
  }

  HttpResponse show(const FormFields& fields) {
    HeaderList headers;
    if (!cookie_.empty()) headers.add("Cookie", cookie_);
    return get("/authorize?" + form_encode(fields), std::move(headers));
  }
  static std::string hidden_field(const HttpResponse& page, const std::string& name) {
    const std::string before = "name=\"" + name + "\" value=\"";
    const std::size_t start = page.body.find(before);
    if (start == std::string::npos) return "";
    const std::size_t from = start + before.size();
    return page.body.substr(from, page.body.find('"', from) - from);
  }
  static FormFields form_of(const HttpResponse& page, const char* person) {
    return {
        {"ticket", hidden_field(page, "ticket")}, {"form_token", hidden_field(page, "form_token")}, {"person", person}};
  }
  HeaderList own_page() const {
    HeaderList headers{{"Origin", kIssuer}, {"Sec-Fetch-Site", "same-origin"}};
    if (!cookie_.empty()) headers.add("Cookie", cookie_);
    return headers;
  }
  // Opens the page and presses that person's button; keeps the cookie, as a browser does.
  HttpResponse choose(const FormFields& request, const char* person) {
    const HttpResponse page = show(request);
    EXPECT_EQ(page.status, 200) << page.body;
    HttpResponse answer = post("/authorize", form_of(page, person), own_page());
    if (const std::string* cookie = answer.headers.find("Set-Cookie")) cookie_ = cookie->substr(0, cookie->find(';'));
    return answer;
  }

  // The consent page that follows, and its answer.
  HttpResponse decide(const HttpResponse& page, const char* decision) {
    EXPECT_NE(page.body.find("Allow this client?"), std::string::npos) << page.status << page.body;
    return post("/consent",
                {{"ticket", hidden_field(page, "ticket")},
                 {"form_token", hidden_field(page, "form_token")},
                 {"decision", decision}},
                own_page());
  }
  HttpResponse allow(const FormFields& request, const char* person) { return decide(choose(request, person), "allow"); }

  // A parameter of the redirect's query; "-" when it is not there.
  static std::string answer_value(const HttpResponse& answer, const char* name) {
    const std::string* location = answer.headers.find("Location");
    if (location == nullptr) return "-";
    const auto fields = form_decode(location->substr(location->find('?') + 1));
    return (*sole_field(*fields, name)).value_or("-");
  }

  static FormFields token_request(const std::string& code, Changes changes = {}) {
    return changed({{"grant_type", "authorization_code"},
                    {"code", code},
                    {"redirect_uri", kHostRedirect},
                    {"client_id", "postern-host"},
                    {"code_verifier", kVerifier},
                    {"resource", kDesk}},
                   changes);
  }
  static FormFields page_token_request(const std::string& code) {
    return token_request(code,
                         {{"redirect_uri", kPageRedirect}, {"client_id", "postern-approvals"}, {"resource", kPage}});
  }
  static Json json_of(const HttpResponse& response) {
    auto json = parse_json(response.body);
    EXPECT_TRUE(json.has_value()) << response.body;
    return json ? *std::move(json) : Json();
  }
  // The token endpoint's error, or "ok".
  static std::string error_of(const HttpResponse& response) {
    const Json json = json_of(response);
    return json.has("error") ? std::string(json.string_at("error")) : "ok";
  }

  static issuer::AuthorizationServer make_server(Env env, bool headless = true, const char* strangers = nullptr,
                                                 HttpClient* http = nullptr) {
    auto clients = issuer::Clients::of_json(*parse_json(kClientsJson));
    EXPECT_TRUE(succeeded(clients));
    issuer::StrangerRules rules;
    if (strangers != nullptr) {
      auto read = issuer::StrangerRules::of_json(*parse_json(strangers));
      EXPECT_TRUE(succeeded(read));
      rules = *std::move(read);
    }
    auto server = issuer::AuthorizationServer::make(
        env, {kIssuer, *std::move(clients), issuer::People::embedded(), headless ? sha256(kHeadlessSecret) : "",
              ScopeSet{"desk:read"}, std::move(rules), http});
    EXPECT_TRUE(succeeded(server));
    return *std::move(server);
  }
  // From here on it is another issuer, open to clients that nobody configured; their documents come through `http`.
  void open_to_strangers(HttpClient* http = nullptr, const char* rules = kStrangersJson) {
    server_ = make_server(env_, true, rules, http);
    routes_ = server_.routes();
  }

  ManualClock clock_;
  SeededRandom random_;
  NoTap tap_;
  Env env_{clock_, random_, tap_};
  issuer::AuthorizationServer server_ = make_server(env_);
  Routes routes_ = server_.routes();
  std::string cookie_;
};

}  // namespace postern::test
