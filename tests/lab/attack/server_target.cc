#include "tests/lab/attack/server_target.h"

#include <cstdlib>

#include "tests/lab/attack/attacker_keys.h"
#include "tests/lab/attack/forged_token.h"
#include "tests/lab/attack/mcp_call.h"
#include "tests/lab/cookie_jar.h"
#include "tests/lab/html_page.h"
#include "tests/support/raw_connection.h"
#include "wire/base/bytes.h"
#include "wire/base/digest.h"
#include "wire/base/file.h"
#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

constexpr std::chrono::seconds kAnswerMax{20};
constexpr int kRedirectsMax = 16;
constexpr std::chrono::milliseconds kRawAnswerMax{10'000};
constexpr std::size_t kRawBytesMax = 1024 * 1024;
constexpr std::size_t kTokenBytesMax = 64 * 1024;

AttackFailed failed(std::string_view what, const HttpResponse& response) {
  return {std::string(what) + ": " + std::to_string(response.status) + " " + visible_line(response.body, 200)};
}

// Sends to loopback and to the hosts of the profile, and to nobody else.
class NamedHostsClient final : public HttpClient {
 public:
  NamedHostsClient(std::unique_ptr<HttpClient> http, const Profile& profile)
      : http_(std::move(http)), profile_(profile) {}
  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime deadline,
                            std::stop_token stop = {}) override {
    if (!profile_.admits(uri)) return HostNotNamed{visible_line(uri.host, 100)};
    return http_->send(uri, request, deadline, std::move(stop));
  }
  Result<HttpResponse> open(const Uri& uri, const HttpRequest& request,
                            const std::function<bool(const HttpResponse&)>& on_head,
                            const std::function<bool(std::string_view)>& on_bytes, SteadyTime deadline,
                            std::stop_token stop) override {
    if (!profile_.admits(uri)) return HostNotNamed{visible_line(uri.host, 100)};
    return http_->open(uri, request, on_head, on_bytes, deadline, std::move(stop));
  }

 private:
  std::unique_ptr<HttpClient> http_;
  const Profile& profile_;
};

class ServerTarget final : public Target {
 public:
  ServerTarget(Env env, Uri endpoint, Profile profile)
      : env_(env),
        endpoint_(std::move(endpoint)),
        profile_(std::move(profile)),
        http_(make_http_client(env, {}), profile_) {}

  [[nodiscard]] std::string name() const override { return endpoint_.text(); }
  [[nodiscard]] bool is_product() const override { return false; }
  [[nodiscard]] const Clock& clock() const override { return env_.clock; }
  [[nodiscard]] HttpClient& http() override { return http_; }
  [[nodiscard]] Uri endpoint() const override { return endpoint_; }
  [[nodiscard]] const ToolNames& tools() const override { return profile_.tools; }
  [[nodiscard]] Result<std::string> token(std::string_view person, std::string_view scope,
                                          std::string_view resource) override;
  [[nodiscard]] Result<std::string> forge(const Forgery& forgery) override;
  [[nodiscard]] Result<std::string> forge_state(const StateForgery&) override {
    return NotObservable{"nobody but the server itself can seal a request state"};
  }
  [[nodiscard]] Result<std::string> raw(std::string_view bytes) override;
  [[nodiscard]] Result<DecisionAttempt> decide(std::string_view link, std::string_view person,
                                               std::string_view way) override;
  [[nodiscard]] Result<std::vector<Json>> refunds(std::string_view) override {
    return NotObservable{"what it paid is not seen from outside"};
  }
  [[nodiscard]] Result<HttpResponse> pay(std::string_view, const Json&) override {
    return NotObservable{"whatever moves the money cannot be asked from outside"};
  }
  [[nodiscard]] Result<std::map<std::string, std::string>> artefacts() override {
    return NotObservable{"its logs, records and downstream calls are not seen from outside"};
  }
  [[nodiscard]] Result<std::vector<HttpResponse>> at_once(const HttpRequest&) override {
    return NotObservable{"that it runs in two processes cannot be told from outside"};
  }
  [[nodiscard]] Result<HttpResponse> after_crash(const HttpRequest&) override {
    return NotObservable{"it cannot be ended from outside"};
  }

 private:
  [[nodiscard]] Result<const ProfilePerson*> person_of(std::string_view person) const;
  // The kept token of that name, or nothing.
  [[nodiscard]] Result<std::optional<std::string>> kept(const ProfilePerson& person, const std::string& name) const;
  [[nodiscard]] Result<Json> issuer_metadata();
  [[nodiscard]] Result<Json> get_json(std::string_view url, std::string_view what);
  // From the authorization request to the redirect that ends it.
  [[nodiscard]] Result<std::string> sign_in(std::string url);
  [[nodiscard]] Result<std::string> redeem(const std::string& code, const std::string& verifier,
                                           const std::string& resource);

  Env env_;
  Uri endpoint_;
  Profile profile_;
  NamedHostsClient http_;
  Json metadata_;
  std::unique_ptr<AttackerKeys> keys_;
};

Result<const ProfilePerson*> ServerTarget::person_of(std::string_view person) const {
  const auto found = profile_.people.find(std::string(person));
  if (found == profile_.people.end()) return NotObservable{"the profile names no " + std::string(person)};
  return &found->second;
}

Result<std::optional<std::string>> ServerTarget::kept(const ProfilePerson& person, const std::string& name) const {
  const auto found = person.tokens.find(name);
  if (found == person.tokens.end()) return std::optional<std::string>();
  std::string token;
  if (!found->second.environment.empty()) {
    const char* value = std::getenv(found->second.environment.c_str());
    token = value == nullptr ? "" : value;
  } else {
    POSTERN_TRY(token, read_file(found->second.file, kTokenBytesMax));
  }
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r' || token.back() == ' ')) token.pop_back();
  if (token.empty()) return AttackFailed{"the profile's token \"" + name + "\" is not there"};
  return std::optional(token);
}

Result<Json> ServerTarget::get_json(std::string_view url, std::string_view what) {
  POSTERN_TRY(const Uri uri, parse_uri(url));
  HttpRequest request;
  request.method = "GET";
  request.target = uri.target();
  request.headers.add("Accept", "application/json");
  POSTERN_TRY(const HttpResponse response, http_.send(uri, request, clock().steady_now() + kAnswerMax));
  auto json = parse_json(response.body);
  if (response.status != 200 || !json || !json->is_object()) return failed(what, response);
  return *std::move(json);
}

Result<Json> ServerTarget::issuer_metadata() {
  if (profile_.issuer.empty()) return NotObservable{"the profile names no issuer"};
  if (metadata_.is_null()) {
    POSTERN_TRY(const Uri issuer, parse_uri(profile_.issuer));
    const std::string tail = issuer.path == "/" ? "" : issuer.path;
    POSTERN_TRY(metadata_, get_json(issuer.origin() + "/.well-known/oauth-authorization-server" + tail,
                                    "the issuer shows no metadata"));
  }
  return metadata_;
}

Result<std::string> ServerTarget::sign_in(std::string url) {
  CookieJar cookies;
  for (int hops = 0; hops < kRedirectsMax; ++hops) {
    POSTERN_TRY(const Uri uri, parse_uri(url));
    HttpRequest request;
    request.method = "GET";
    request.target = uri.target();
    request.headers.add("Accept", "text/html");
    if (const std::string field = cookies.field_for(uri); !field.empty()) request.headers.add("Cookie", field);
    POSTERN_TRY(const HttpResponse response, http_.send(uri, request, clock().steady_now() + kAnswerMax));
    cookies.take(uri, response.headers);
    const std::string* location = response.headers.find("Location");
    if (location == nullptr) return failed("the sign-in shows a page, where a redirect was expected", response);
    if (location->substr(0, profile_.redirect_uri.size()) == profile_.redirect_uri) return *location;
    POSTERN_TRY(const Uri next, resolve(uri, *location));
    url = next.text();
  }
  return AttackFailed{"the sign-in goes round in circles"};
}

Result<std::string> ServerTarget::redeem(const std::string& code, const std::string& verifier,
                                         const std::string& resource) {
  POSTERN_TRY(const Json metadata, issuer_metadata());
  POSTERN_TRY(const Uri uri, parse_uri(metadata.string_at("token_endpoint")));
  HttpRequest request;
  request.method = "POST";
  request.target = uri.target();
  request.headers.add("Content-Type", "application/x-www-form-urlencoded");
  request.body = form_encode({{"grant_type", "authorization_code"},
                              {"code", code},
                              {"client_id", profile_.client_id},
                              {"redirect_uri", profile_.redirect_uri},
                              {"code_verifier", verifier},
                              {"resource", resource}});
  POSTERN_TRY(const HttpResponse response, http_.send(uri, request, clock().steady_now() + kAnswerMax));
  const auto json = parse_json(response.body);
  if (response.status != 200 || !json || json->string_at("access_token").empty())
    return failed("the issuer gives no token", response);
  return std::string(json->string_at("access_token"));
}

Result<std::string> ServerTarget::token(std::string_view person, std::string_view scope, std::string_view resource) {
  POSTERN_TRY(const ProfilePerson* who, person_of(person));
  const bool other = !resource.empty();
  POSTERN_TRY(auto at_hand, kept(*who, other ? "other" : std::string(scope)));
  if (at_hand) return *std::move(at_hand);
  if (who->login_hint.empty()) return NotObservable{"the profile gives no token of that kind, and no sign-in"};
  if (other && profile_.other_resource.empty())
    return NotObservable{"the profile names no other server of the same issuer"};
  const std::string target = other ? profile_.other_resource : endpoint_.text();
  POSTERN_TRY(const Json metadata, issuer_metadata());
  const std::string verifier = random_token(env_.random, "", 32);
  const std::string query = form_encode({{"response_type", "code"},
                                         {"client_id", profile_.client_id},
                                         {"redirect_uri", profile_.redirect_uri},
                                         {"scope", std::string(scope)},
                                         {"state", "state-of-an-attack"},
                                         {"resource", target},
                                         {"code_challenge", base64url(sha256(verifier))},
                                         {"code_challenge_method", "S256"},
                                         {"login_hint", who->login_hint}});
  POSTERN_TRY(const std::string answer,
              sign_in(std::string(metadata.string_at("authorization_endpoint")) + "?" + query));
  const std::size_t mark = answer.find('?');
  POSTERN_TRY(const FormFields fields, form_decode(mark == std::string::npos ? "" : answer.substr(mark + 1)));
  POSTERN_TRY(const auto code, sole_field(fields, "code"));
  if (!code) return AttackFailed{"the issuer gave no code: " + visible_line(answer, 200)};
  return redeem(*code, verifier, target);
}

Result<std::string> ServerTarget::forge(const Forgery& forgery) {
  POSTERN_TRY(const ProfilePerson* who, person_of(forgery.person));
  POSTERN_TRY(auto at_hand, kept(*who, forgery.how));
  if (at_hand) return *std::move(at_hand);
  ForgeryMeans means;
  POSTERN_TRY(means.genuine, token(forgery.person, forgery.scope, {}));
  means.sign_as_issuer = [](const Json&, const Json&) -> Result<std::string> {
    return NotObservable{"its issuer signs no such token, and the profile gives none"};
  };
  if (!profile_.issuer.empty()) {
    POSTERN_TRY(const Json metadata, issuer_metadata());
    POSTERN_TRY(means.issuer_keys, get_json(metadata.string_at("jwks_uri"), "the issuer shows no keys"));
  }
  if (keys_ == nullptr) {
    POSTERN_TRY(keys_, AttackerKeys::serve(env_));
  }
  means.own_keys_url = keys_->url();
  means.now = clock().now();
  return forged_token(means, forgery.how);
}

Result<std::string> ServerTarget::raw(std::string_view bytes) {
  const bool plain = endpoint_.scheme == "http" && (endpoint_.host == "127.0.0.1" || endpoint_.host == "localhost");
  if (!plain) return NotObservable{"bytes as they are go to http on 127.0.0.1 only"};
  test::RawConnection connection(endpoint_.port);
  if (!connection.connected()) return AttackFailed{"nobody listens at port " + std::to_string(endpoint_.port)};
  connection.send(bytes);  // whoever has refused the head may have hung up before the body was out
  using End = test::RawConnection::End;
  switch (connection.read_within(kRawAnswerMax, kRawBytesMax, is_whole_response)) {
    case End::kTimedOut:
      return AttackFailed{"no whole answer came within 10 seconds"};
    case End::kTooMuch:
      return AttackFailed{"the answer has more than 1 MiB"};
    case End::kClosed:
    case End::kWhole:
      break;
  }
  return connection.received();
}

Result<DecisionAttempt> ServerTarget::decide(std::string_view link, std::string_view person, std::string_view way) {
  if (profile_.approval.method.empty()) return NotObservable{"the profile does not say how a person decides"};
  if (way != "page" && way != "forced-post") {
    return NotObservable{"it has no pages and no sign-in of its own that could be tried in that way"};
  }
  POSTERN_TRY(const Uri uri, parse_uri(link));
  // The server chose the link: a person's token goes nowhere that only the server names.
  const auto issuer = parse_uri(profile_.issuer);
  if (uri.origin() != endpoint_.origin() && uri.origin() != profile_.approval.origin &&
      !(issuer && uri.origin() == issuer->origin())) {
    return NotObservable{"the link of the approval leads to " + visible_line(uri.origin(), 100) +
                         ", which is neither the server nor its issuer, and the profile does not name it"};
  }
  HttpRequest request;
  request.method = profile_.approval.method;
  request.target = uri.target();
  if (!profile_.approval.bearer_scope.empty()) {
    // Somebody who may not hold that scope comes with the token that there is.
    auto own = token(person, profile_.approval.bearer_scope, {});
    if (!own) {
      POSTERN_TRY(own, token(person, "desk:read", {}));
    }
    request.headers.add("Authorization", "Bearer " + *own);
  }
  POSTERN_TRY(const HttpResponse response, http_.send(uri, request, clock().steady_now() + kAnswerMax));
  return DecisionAttempt{response.status >= 200 && response.status < 300, response.status,
                         visible_line(std::to_string(response.status) + " " + response.body, 400)};
}

}  // namespace

Result<std::unique_ptr<Target>> make_server_target(Env env, const std::string& url, Profile profile) {
  POSTERN_TRY(Uri endpoint, parse_uri(url));
  if (!profile.admits(endpoint)) return HostNotNamed{visible_line(endpoint.host, 100)};
  return std::unique_ptr<Target>(std::make_unique<ServerTarget>(env, std::move(endpoint), std::move(profile)));
}

}  // namespace postern::lab
