// Verbs onto sign-in: challenges, metadata, endpoints, tokens, the issuer's own authorization endpoint.
#include <optional>

#include "services/gate/bearer_gate.h"
#include "services/gate/issuer_keys.h"
#include "services/gate/token_verifier.h"
#include "tests/public/verbs.h"
#include "tests/support/manual_clock.h"
#include "tests/support/routes_client.h"
#include "tests/support/seeded_random.h"
#include "tests/unit/gate/signed_tokens.h"
#include "tests/unit/issuer/training_issuer.h"
#include "wire/oauth/challenge.h"
#include "wire/oauth/discovery_policy.h"
#include "wire/oauth/metadata.h"
#include "wire/oauth/token_response.h"

namespace postern::test {
namespace {

Status play_challenge(const CaseFile& file, const CaseStep& step) {
  POSTERN_TRY(const std::string text, section_of(file, "challenge"));
  POSTERN_TRY(const auto challenge, read_bearer_challenge({{"WWW-Authenticate", text}}));
  const BearerChallenge found = challenge.value_or(BearerChallenge());
  POSTERN_TRY_VOID(same_as_named(step, "scope", found.scope ? found.scope->text() : ""));
  return same_as_named(step, "metadata", found.resource_metadata.empty() ? "" : found.resource_metadata.front());
}

Status play_resource(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const Json document, json_of(file, "document"));
  POSTERN_TRY(const auto metadata, ProtectedResourceMetadata::of_json(document, kDesk));
  return {};
}

Status play_issuer(const CaseFile& file, const CaseStep& step) {
  POSTERN_TRY(const Json document, json_of(file, "document"));
  POSTERN_TRY(const auto metadata, AuthorizationServerMetadata::of_json(document, step.parameters.at("issuer")));
  return {};
}

Status play_endpoint(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const std::string url, section_of(file, "url"));
  POSTERN_TRY(const Uri endpoint, check_authorization_endpoint(url));
  return {};
}

Status play_token_response(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const std::string body, section_of(file, "body"));
  POSTERN_TRY(const TokenResponse tokens, read_token_response(json_response(200, body), ScopeSet{"desk:read"}));
  return {};
}

// "+300" is so many seconds from now; what is no JSON is a text; "-" takes the claim away.
void change(Json& claims, const std::map<std::string, std::string, std::less<>>& parameters, std::int64_t now) {
  for (const auto& one : parameters) {
    const std::string& text = one.second;
    if (text == "-") {
      claims.erase(one.first);
    } else if (text.front() == '+' || (text.front() == '-' && text.size() > 1)) {
      claims.set(one.first, Json(std::int64_t{now + std::stoll(text)}));
    } else {
      const auto json = parse_json(text);
      claims.set(one.first, json ? *json : Json(text));
    }
  }
}

std::string with_signature(std::string token, std::string_view how) {
  const std::size_t dot = token.rfind('.');
  const std::string bytes = base64url_decode(token.substr(dot + 1)).value_or("");
  token.resize(dot + 1);
  if (how == "short") return token + base64url(bytes.substr(0, 63));
  if (how == "zeros") return token + base64url(std::string(64, '\0'));
  if (how == "der") return token + base64url("\x30\x44\x02\x20" + bytes.substr(0, 32) + "\x02\x20" + bytes.substr(32));
  return token + base64url(bytes);
}

// A token of the trusted issuer with what is given changed, before the desk's verifier.
Status play_token(const CaseFile& file, const CaseStep& step) {
  ManualClock clock;
  const SignedTokens tokens(clock);
  Json header = tokens.header();
  Json claims = tokens.claims();
  const std::int64_t now = unix_seconds(clock.now());
  if (const auto given = given_of(file, "claims")) change(claims, given->parameters, now);
  if (const auto given = given_of(file, "header")) change(header, given->parameters, now);
  std::string token = tokens.sign(header, claims);
  if (const auto given = given_of(file, "signature")) token = with_signature(std::move(token), given->words.front());
  if (const std::string* payload = file.section("payload")) token = tokens.token_of_text(*payload);
  POSTERN_TRY(const JwkSet keys, JwkSet::of_json(tokens.jwk_set()));
  const services::TokenVerifier verifier(kGateIssuer, kGateResource);
  POSTERN_TRY(const auto verified, verifier.verify(token, keys, clock.now()));
  const auto scope = step.parameters.find("scope");
  if (scope == step.parameters.end()) return {};
  const auto wanted = ScopeSet::parse(scope->second);
  if (!wanted) return BadCaseFile{file.file(), 0, "the scope is none"};
  return services::require_scopes(verified, *wanted);
}

struct InvalidTarget {
  static constexpr std::string_view kId = "issuer.invalid_target";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  std::string where;
  [[nodiscard]] std::string text() const { return where; }
};

class Issuer final : public TrainingIssuer {
 public:
  void TestBody() override {}
  HttpResponse authorize(const CaseStep& given) {
    FormFields fields = host_request();
    for (const auto& one : given.parameters) {
      std::erase_if(fields, [&one](const auto& field) { return field.first == one.first; });
      if (one.second != "-") fields.emplace_back(one.first, one.second);
    }
    return show(fields);
  }
};

// 200 is the sign-in page; a redirect that names invalid_target is one to a client that is known.
Status play_authorize(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const CaseStep given, given_of(file, "request"));
  Issuer issuer;
  const HttpResponse answer = issuer.authorize(given);
  if (answer.status == 200) return {};
  const std::string* location = answer.headers.find("Location");
  if (location != nullptr && location->find("error=invalid_target") != std::string::npos)
    return InvalidTarget{*location};
  return answered(answer.status, answer.body.substr(0, 200));
}

// One request to a resource server with the Authorization that is given; "TOKEN" is a good one.
Status play_admit(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const std::string lines, section_of(file, "headers"));
  ManualClock clock;
  SeededRandom random;
  NoTap tap;
  const Env env{clock, random, tap};
  const SignedTokens tokens(clock);
  Routes routes;
  routes.add("GET", "/.well-known/oauth-authorization-server", [](const HttpRequest&) {
    Json document = Json::object({{"issuer", kGateIssuer}, {"token_endpoint", std::string(kGateIssuer) + "/token"}});
    document.set("authorization_endpoint", std::string(kGateIssuer) + "/authorize");
    document.set("jwks_uri", std::string(kGateIssuer) + "/jwks");
    return HttpReply(json_response(200, document.dump()));
  });
  routes.add("GET", "/jwks",
             [&tokens](const HttpRequest&) { return HttpReply(json_response(200, tokens.jwk_set().dump())); });
  RoutesClient client;
  client.serve(kGateIssuer, routes);
  services::IssuerKeys keys(env, client, kGateIssuer);
  services::BearerGate gate(clock, services::TokenVerifier(kGateIssuer, kGateResource), keys);
  HttpRequest request{"POST", "/mcp", {}, "", ""};
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    std::string line = lines.substr(at, end - at);
    if (const std::size_t token = line.find("TOKEN"); token != std::string::npos)
      line.replace(token, 5, tokens.token());
    if (line.starts_with("?")) {
      request.target += line;
    } else {
      const std::size_t colon = line.find(": ");
      request.headers.add(line.substr(0, colon), line.substr(colon + 2));
    }
    at = end + 1;
  }
  POSTERN_TRY(const auto admitted, gate.admit(request, services::KeyAccess::kMayFetch));
  return {};
}

constexpr Verb kVerbs[] = {{"read-challenge", play_challenge},
                           {"read-resource-metadata", play_resource},
                           {"read-issuer-metadata", play_issuer},
                           {"check-endpoint", play_endpoint},
                           {"read-token-response", play_token_response},
                           {"verify-token", play_token},
                           {"authorize", play_authorize},
                           {"admit", play_admit}};

}  // namespace

std::span<const Verb> identity_verbs() {
  return kVerbs;
}

}  // namespace postern::test
