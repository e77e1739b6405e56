// An MCP server's metadata, authorization servers and a person, for tests of signing in: an HttpClient without sockets,
// whose peers do what a test tells them, and a list of everything that was asked of them.
//
// The server is http://127.0.0.1:8931/mcp, its issuer http://127.0.0.1:8932. Access tokens are "at_1", "at_2", ... or
// JWTs that carry a subject; refresh tokens are "rt_1", ..., each good once. What an authorization asked for is
// granted.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bridge/oauth/client_identity.h"
#include "bridge/oauth/code_grant.h"
#include "bridge/oauth/credential_store.h"
#include "bridge/oauth/oauth_client.h"
#include "bridge/oauth/sign_in_observer.h"
#include "bridge/oauth/user_agent.h"
#include "tests/support/test_env.h"
#include "wire/base/bytes.h"
#include "wire/base/json.h"
#include "wire/base/uri.h"
#include "wire/oauth/scope.h"
#include "wire/transport/http_client.h"

namespace postern::bridge::sign_in {

inline constexpr const char* kServer = "http://127.0.0.1:8931/mcp";
inline constexpr const char* kPathForm = "http://127.0.0.1:8931/.well-known/oauth-protected-resource/mcp";
inline constexpr const char* kIssuer = "http://127.0.0.1:8932";
inline constexpr const char* kOtherIssuer = "http://127.0.0.1:8933";

inline std::string field(const FormFields& fields, std::string_view name) {
  return sole_field(fields, name)->value_or("(absent)");
}

inline HttpResponse refusal(int status, std::string challenge) {
  HttpResponse response = json_response(status, "{}");
  response.headers.add("WWW-Authenticate", std::move(challenge));
  return response;
}

class World final : public HttpClient {
 public:
  std::map<std::string, Json> documents;  // by URL
  std::vector<std::string> asked;         // "GET URL", "POST URL"
  std::vector<FormFields> token_requests;
  std::vector<HeaderList> token_headers;
  std::vector<Json> registrations;
  std::vector<FormFields> revocations;

  std::string subject;  // of the access tokens; empty: they are no JWTs
  std::string name;     // that token answers carry
  bool refresh_tokens = false;
  std::optional<std::string> granted;        // whatever was asked for
  Json expires_in = 300;                     // null: left out
  std::optional<HttpResponse> token_answer;  // instead of tokens, once
  std::optional<HttpResponse> registration_answer;
  bool token_endpoint_down = false;
  std::string asked_scope;  // of the newest authorization, told by the person
  std::string newest_refresh_token;
  std::map<std::string, std::string> scope_of_refresh;

  World() {
    documents[kPathForm] = resource(kServer, {kIssuer}, {"desk:read"});
    add_issuer(kIssuer);
  }
  static Json strings(const std::vector<std::string>& list) {
    Json json = Json::array();
    for (const std::string& entry : list) json.push(entry);
    return json;
  }
  static Json resource(const std::string& identifier, const std::vector<std::string>& issuers,
                       const std::vector<std::string>& scopes = {}) {
    Json json = Json::object({{"resource", identifier}, {"authorization_servers", strings(issuers)}});
    if (!scopes.empty()) json.set("scopes_supported", strings(scopes));
    return json;
  }
  // An origin.
  Json& add_issuer(const std::string& issuer) {
    Json json = Json::object({{"issuer", issuer},
                              {"authorization_endpoint", issuer + "/authorize"},
                              {"token_endpoint", issuer + "/token"},
                              {"code_challenge_methods_supported", Json::array({"S256"})},
                              {"token_endpoint_auth_methods_supported", Json::array({"none"})},
                              {"authorization_response_iss_parameter_supported", true}});
    return documents[issuer + "/.well-known/oauth-authorization-server"] = std::move(json);
  }
  Json& issuer() { return documents[std::string(kIssuer) + "/.well-known/oauth-authorization-server"]; }
  [[nodiscard]] std::size_t count(const std::string& what) const {
    return static_cast<std::size_t>(std::count(asked.begin(), asked.end(), what));
  }

  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime, std::stop_token) override {
    const std::string url = uri.path == "/" ? uri.origin() : uri.text();
    asked.push_back(request.method + " " + url);
    if (request.method == "GET") {
      const auto found = documents.find(url);
      return found == documents.end() ? json_response(404, "{}") : json_response(200, found->second.dump());
    }
    if (uri.path == "/token") return token(request);
    if (uri.path == "/register") return registration(request);
    if (uri.path == "/revoke") {
      revocations.push_back(*form_decode(request.body));
      return json_response(200, "{}");
    }
    return json_response(404, "{}");
  }
  Result<HttpResponse> open(const Uri&, const HttpRequest&, const std::function<bool(const HttpResponse&)>&,
                            const std::function<bool(std::string_view)>&, SteadyTime, std::stop_token) override {
    return Unreachable{"nowhere", "not played"};
  }

 private:
  [[nodiscard]] std::string access_token() const {
    const std::string number = std::to_string(token_requests.size());
    if (subject.empty()) return "at_" + number;
    const Json claims = Json::object({{"sub", subject}, {"jti", number}});
    return base64url(R"({"alg":"ES256","typ":"at+jwt"})") + "." + base64url(claims.dump()) + "." + base64url("signed");
  }
  Result<HttpResponse> token(const HttpRequest& request) {
    if (token_endpoint_down) return Unreachable{kIssuer, "connection refused"};
    const FormFields form = *form_decode(request.body);
    token_requests.push_back(form);
    token_headers.push_back(request.headers);
    if (token_answer) return *std::exchange(token_answer, std::nullopt);
    std::string scope = granted.value_or(asked_scope);
    if (field(form, "grant_type") == "refresh_token") {
      const auto known = scope_of_refresh.find(field(form, "refresh_token"));
      if (known == scope_of_refresh.end()) return json_response(400, R"({"error":"invalid_grant"})");
      scope = known->second;
      scope_of_refresh.erase(known);
    }
    Json answer = Json::object({{"access_token", access_token()}, {"token_type", "Bearer"}, {"scope", scope}});
    if (!expires_in.is_null()) answer.set("expires_in", expires_in);
    if (!name.empty()) answer.set("name", name);
    if (refresh_tokens) {
      newest_refresh_token = "rt_" + std::to_string(token_requests.size());
      scope_of_refresh[newest_refresh_token] = scope;
      answer.set("refresh_token", newest_refresh_token);
    }
    return json_response(200, answer.dump());
  }
  HttpResponse registration(const HttpRequest& request) {
    registrations.push_back(*parse_json(request.body));
    if (registration_answer) return *registration_answer;
    Json answer = registrations.back();
    answer.set("client_id", "dynamic-" + std::to_string(registrations.size()));
    if (answer.string_at("token_endpoint_auth_method") != "none") answer.set("client_secret", "s3cret");
    return json_response(201, answer.dump());
  }
};

// Signs in at once, with the answer that a test wants.
class Person final : public UserAgent {
 public:
  explicit Person(World& world) : world_(world) {}
  std::string redirect = "http://127.0.0.1/callback";
  std::optional<std::string> iss = kIssuer;  // nothing: left out
  std::string error;                         // instead of a code
  std::set<std::string> refused_scopes;      // the issuer answers invalid_scope to one of these
  bool wrong_state = false;
  std::vector<FormFields> asked;
  std::vector<std::string> endpoints;

  Result<std::string> redirect_uri() override { return redirect; }
  Result<std::string> authorize(const Uri& authorization, std::stop_token) override {
    asked.push_back(*form_decode(authorization.query));
    endpoints.push_back(authorization.origin() + authorization.path);
    world_.asked_scope = field(asked.back(), "scope");
    if (world_.asked_scope == "(absent)") world_.asked_scope = "default";
    FormFields answer = {{"state", wrong_state ? "other" : field(asked.back(), "state")}};
    std::string refused = error;
    const ScopeSet scopes = *ScopeSet::parse(world_.asked_scope);
    for (const std::string& scope : scopes.tokens()) {
      if (refused_scopes.contains(scope)) refused = "invalid_scope";
    }
    answer.emplace_back(refused.empty() ? "code" : "error", refused.empty() ? "ac_code" : refused);
    if (iss) answer.emplace_back("iss", *iss);
    return redirect + "?" + form_encode(answer);
  }
  [[nodiscard]] std::string scope(std::size_t which) const { return field(asked.at(which), "scope"); }

 private:
  World& world_;
};

class Observed final : public SignInObserver {
 public:
  std::vector<std::string> lines;
  void signed_in(std::string_view who, std::string_view scopes) override {
    lines.push_back(std::string(who) + ": " + std::string(scopes));
  }
};

inline ClientRegistrationOptions registered(std::string issuer = kIssuer) {
  ClientRegistrationOptions options;
  options.registered.emplace();
  options.registered->issuer = std::move(issuer);
  options.registered->client_id = "postern-host";
  return options;
}

inline ClientRegistrationOptions dynamic() {
  ClientRegistrationOptions options;
  options.dynamic = true;
  return options;
}

struct BenchOptions {
  ClientRegistrationOptions registration = registered();
  std::string issuer = {};  // the only one; empty: any
  std::optional<ScopeSet> scopes_max = {};
  std::string endpoint = kServer;
  DpopKey* dpop = nullptr;
};

struct Bench {
  explicit Bench(BenchOptions chosen = {}) : options(std::move(chosen)) {}

  BenchOptions options;
  test::TestEnv env;
  World world;
  Person person{world};
  Observed observed;
  MemoryCredentialStore store;
  ClientRegistrar registrar{env.env(), world, store, std::move(options.registration)};
  CodeGrant grant{env.env(), person};
  OAuthClient oauth = client();

  OAuthClient client() {
    OAuthClientOptions made;
    made.endpoint = *parse_uri(options.endpoint);
    made.issuer = options.issuer;
    made.scopes_max = options.scopes_max;
    return OAuthClient(env.env(), world, world, registrar, grant, store, observed, std::move(made), options.dpop);
  }
  Status sign_in(const std::string& challenge = "Bearer") { return oauth.sign_in(refusal(401, challenge), {}); }
  Status step_up(const std::string& scope) {
    return oauth.step_up("Bearer error=\"insufficient_scope\", scope=\"" + scope + "\"", {});
  }
  // What a request carries; empty: nothing.
  std::string token(const char* url = kServer) {
    HttpRequest request;
    request.method = "POST";
    if (!oauth.authorize(request, *parse_uri(url), {})) return "(refused)";
    const std::string* header = request.headers.find("Authorization");
    return header == nullptr ? std::string() : *header;
  }
  void works() { static_cast<void>(oauth.take_note(json_response(200, "{}"))); }
  [[nodiscard]] TokenKey key() const { return {kIssuer, kServer}; }
};

}  // namespace postern::bridge::sign_in
