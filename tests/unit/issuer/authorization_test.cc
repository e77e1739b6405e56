#include <gtest/gtest.h>

#include "tests/support/shared_file.h"
#include "tests/unit/issuer/training_issuer.h"

namespace postern::issuer {
namespace {

using test::kHostRedirect;
using test::kIssuer;

using Authorization = test::TrainingIssuer;

// No refusal on the way to a trusted redirect URI may be sent anywhere.
void expect_page(const HttpResponse& answer) {
  EXPECT_EQ(answer.status, 400);
  EXPECT_FALSE(answer.headers.has("Location"));
  EXPECT_NE(answer.body.find("nothing was sent anywhere"), std::string::npos);
}

TEST_F(Authorization, AnswersWithCodeStateAndIssuer) {
  const HttpResponse answer = choose(host_request(), "rowan");
  ASSERT_EQ(answer.status, 303);
  EXPECT_EQ(answer.headers.find("Location")->rfind(std::string(kHostRedirect) + "?code=ac_", 0), 0U);
  EXPECT_EQ(answer_value(answer, "state"), "st-1");
  EXPECT_EQ(answer_value(answer, "iss"), kIssuer);
  EXPECT_EQ(answer_value(answer, "error"), "-");
}

TEST_F(Authorization, KeepsTheQueryOfARegisteredRedirect) {
  const HttpResponse answer = choose(host_request({{"client_id", "partner-portal"},
                                                   {"redirect_uri", "https://portal.test/cb?tenant=1"},
                                                   {"resource", "https://portal.test/api"}}),
                                     "rowan");
  ASSERT_EQ(answer.status, 303);
  EXPECT_EQ(answer.headers.find("Location")->rfind("https://portal.test/cb?tenant=1&code=", 0), 0U);
}

// RFC 8252 section 7.3: any port on loopback for a native client, everything else exactly.
TEST_F(Authorization, MatchesRedirectsOfANativeClientWithAnyPort) {
  POSTERN_SHARED_JSON(rows, "cases/B-046/uris.json");
  for (const Json& row : rows.elements()) {
    const std::string& uri = *row.elements()[0].string();
    const HttpResponse answer = show(host_request({{"redirect_uri", uri.c_str()}}));
    if (row.elements()[1].integer() == 302) {
      EXPECT_EQ(answer.status, 200) << uri;
    } else {
      expect_page(answer);
    }
  }
}

TEST_F(Authorization, RefusesStrangePortsOfALoopbackRedirect) {
  for (const char* uri :
       {"http://127.0.0.1:/callback", "http://127.0.0.1:0/callback", "http://127.0.0.1:049152/callback",
        "http://127.0.0.1:99999/callback", "http://127.0.0.1:1x/callback", "http://127.0.0.1:123456/callback",
        "HTTP://127.0.0.1:1/callback", "http://127.0.0.1:1\\@evil.test/callback", ""}) {
    expect_page(show(host_request({{"redirect_uri", uri}})));
  }
  EXPECT_EQ(show(host_request({{"redirect_uri", "http://127.0.0.1:65535/callback"}})).status, 200);
}

TEST_F(Authorization, MatchesRedirectsOfAWebClientExactly) {
  EXPECT_EQ(show(page_request()).status, 200);
  for (const char* uri :
       {"http://127.0.0.1:8934/callback", "http://127.0.0.1/callback", "http://127.0.0.1:8933/callback/",
        "http://localhost:8933/callback", "http://127.0.0.1:8933/callback?a=b", "https://evil.test/callback"}) {
    expect_page(show(page_request({{"redirect_uri", uri}})));
  }
}

TEST_F(Authorization, RefusesUnknownClientsOnAPage) {
  expect_page(show(host_request({{"client_id", "evil"}})));
  expect_page(show(host_request({{"client_id", nullptr}})));
  expect_page(show(host_request({{"redirect_uri", nullptr}})));
}

// Probe of the case: line breaks in redirect_uri and state, and a client that is not known.
TEST_F(Authorization, SendsNoLineBreakBack) {
  const HttpResponse probe =
      get("/authorize?response_type=code&client_id=desk-host&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcb%0d%0aX-"
          "Injected:%201&"
          "state=a%0d%0aX-Injected:%201");
  expect_page(probe);
  expect_page(show(host_request({{"redirect_uri", "http://127.0.0.1:1/callback\r\nX-Injected: 1"}})));
  for (const char* state : {"a\r\nX-Injected: 1", "a\nb", "st\xC3\xA4te", "a\x7F"})
    expect_page(show(host_request({{"state", state}})));
  const HttpResponse odd = choose(host_request({{"state", "a \"b\"&c=<d>%0d"}}), "rowan");
  EXPECT_EQ(answer_value(odd, "state"), "a \"b\"&c=<d>%0d");
  EXPECT_EQ(odd.headers.find("Location")->find_first_of(" \"<>\r\n"), std::string::npos);
}

TEST_F(Authorization, RefusesRepeatedParameters) {
  for (const char* name : {"client_id", "redirect_uri", "state"}) {
    FormFields twice = host_request();
    twice.emplace_back(name, "x");
    expect_page(show(twice));
  }
  for (const char* name : {"scope", "resource", "code_challenge", "response_type", "login_hint"}) {
    FormFields twice = host_request({{"login_hint", "morgan"}});
    twice.emplace_back(name, "desk:read");
    const HttpResponse answer = show(twice);
    EXPECT_EQ(answer.status, 303) << name;
    EXPECT_EQ(answer_value(answer, "error"), "invalid_request") << name;
  }
}

TEST_F(Authorization, SendsErrorsBackWithStateAndIssuer) {
  const std::pair<FormFields, const char*> rows[] = {
      {host_request({{"response_type", "token"}}), "unsupported_response_type"},
      {host_request({{"response_type", nullptr}}), "unsupported_response_type"},
      {host_request({{"response_mode", "fragment"}}), "invalid_request"},
      {host_request({{"request", "x"}}), "request_not_supported"},
      {host_request({{"request_uri", "https://evil.test"}}), "request_uri_not_supported"},
      {host_request({{"code_challenge", nullptr}}), "invalid_request"},
      {host_request({{"code_challenge", "short"}}), "invalid_request"},
      {host_request({{"code_challenge_method", "plain"}}), "invalid_request"},
      {host_request({{"code_challenge_method", nullptr}}), "invalid_request"},
      {host_request({{"scope", "desk:read \"x"}}), "invalid_scope"},
      {host_request({{"resource", nullptr}}), "invalid_target"},
      {host_request({{"max_age", "-1"}}), "invalid_request"},
      {host_request({{"max_age", "1e3"}}), "invalid_request"},
      {host_request({{"prompt", "none"}}), "login_required"},
      {host_request({{"prompt", "admin"}}), "invalid_request"},
      {page_request({{"nonce", "a\nb"}}), "invalid_request"},
  };
  for (const auto& [request, error] : rows) {
    const HttpResponse answer = show(request);
    EXPECT_EQ(answer.status, 303) << form_encode(request);
    EXPECT_EQ(answer_value(answer, "error"), error) << form_encode(request);
    EXPECT_EQ(answer_value(answer, "iss"), kIssuer);
    EXPECT_NE(answer_value(answer, "state"), "-");
    EXPECT_EQ(answer_value(answer, "code"), "-");
  }
  EXPECT_EQ(
      show(host_request({{"max_age", "0"}, {"prompt", "login select_account"}, {"response_mode", "query"}})).status,
      200);
}

TEST_F(Authorization, RefusesResourcesThatAreNotTheClients) {
  POSTERN_SHARED_TEXT(text, "cases/B-041/bad-values.txt");
  std::size_t at = 0;
  int rows = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string value = *percent_decode(text.substr(at, end - at));
    at = end + 1;
    if (value.empty()) continue;
    ++rows;
    EXPECT_EQ(answer_value(show(host_request({{"resource", value.c_str()}})), "error"), "invalid_target") << value;
  }
  EXPECT_EQ(rows, 5);
  EXPECT_EQ(answer_value(show(host_request({{"resource", test::kPage}})), "error"), "invalid_target");
  EXPECT_EQ(show(host_request()).status, 200);
}

// A client that names no scope gets the default of this issuer, as far as it may ask for it.
TEST_F(Authorization, GivesADefaultScopeToWhoeverNamesNone) {
  const HttpResponse page = show(host_request({{"scope", nullptr}}));
  ASSERT_EQ(page.status, 200);
  EXPECT_NE(page.body.find("<dd>desk:read</dd>"), std::string::npos);
  auto clients = Clients::of_json(*parse_json(
      R"([{"client_id":"c","name":"C","application_type":"native","redirect_uris":["http://127.0.0.1/callback"],
           "scopes":["refunds:write"],"resources":["http://127.0.0.1:8931/mcp"]}])"));
  AuthorizationServer other =
      *AuthorizationServer::make(env_, {kIssuer, *std::move(clients), People::embedded(), "", ScopeSet{"desk:read"}});
  routes_ = other.routes();
  EXPECT_EQ(answer_value(show(host_request({{"client_id", "c"}, {"scope", nullptr}})), "error"), "invalid_scope");
  EXPECT_EQ(show(host_request({{"client_id", "c"}, {"scope", "refunds:write"}})).status, 200);
}

struct ScopeRow {
  const char* client;
  const char* person;
  const char* scope;
  const char* refusal;  // null: a code
};

// Limited by client and by person; asking for more than either may hold is refused by name, not cut down.
TEST_F(Authorization, LimitsScopesByClientAndByPerson) {
  const ScopeRow rows[] = {
      {"postern-host", "rowan", "desk:read", nullptr},
      {"postern-host", "rowan", "desk:read refunds:write", nullptr},
      {"postern-host", "morgan", "desk:read", nullptr},
      {"postern-host", "morgan", "desk:read refunds:write", "Morgan Ellis may not hold refunds:write."},
      {"postern-host", "rowan", "desk:read refunds:approve",
       "The client postern-host may not ask for refunds:approve."},
      {"postern-host", "morgan", "refunds:approve", "The client postern-host may not ask for refunds:approve."},
      {"postern-host", "rowan", "openid", "The client postern-host may not ask for openid."},
      {"postern-approvals", "morgan", "openid desk:read refunds:approve", nullptr},
      {"postern-approvals", "rowan", "openid desk:read", nullptr},
      {"postern-approvals", "rowan", "openid desk:read refunds:approve", "Rowan Diaz may not hold refunds:approve."},
      {"postern-approvals", "quinn", "refunds:approve", "Quinn Hale may not hold refunds:approve."},
      {"postern-approvals", "rowan", "refunds:write", "The client postern-approvals may not ask for refunds:write."},
      {"all-mighty", "morgan", "refunds:approve", nullptr},
      {"all-mighty", "rowan", "refunds:approve", "Rowan Diaz may not hold refunds:approve."},
      {"postern-host", "rowan", "desk:read admin", "The client postern-host may not ask for admin."},
  };
  for (const ScopeRow& row : rows) {
    const bool of_page = std::string_view(row.client) == "postern-approvals";
    const FormFields request =
        changed(of_page ? page_request() : host_request(), {{"client_id", row.client}, {"scope", row.scope}});
    HttpResponse answer = show(request);
    if (answer.status == 200) answer = choose(request, row.person);
    ASSERT_EQ(answer.status, 303);
    if (row.refusal == nullptr) {
      EXPECT_NE(answer_value(answer, "code"), "-") << row.client << row.person << row.scope;
      continue;
    }
    EXPECT_EQ(answer_value(answer, "error"), "invalid_scope") << row.refusal;
    EXPECT_EQ(answer_value(answer, "error_description"), row.refusal);
    EXPECT_EQ(answer_value(answer, "code"), "-");
  }
}

TEST_F(Authorization, RefusesForeignHosts) {
  const std::string target = "/authorize?" + form_encode(host_request());
  EXPECT_EQ(get(target).status, 200);
  for (const char* host : {"evil.test", "localhost:8930", "127.0.0.1", "127.0.0.1:8931"}) {
    EXPECT_EQ(get(target, {{"Host", host}}).status, 403) << host;
  }
  EXPECT_EQ(get(target, {{"Host", "127.0.0.1:8930"}, {"Host", "127.0.0.1:8930"}}).status, 400);
}

TEST_F(Authorization, OffersWhatItDoesInItsMetadata) {
  for (const char* path : {"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"}) {
    ASSERT_EQ(get(path).status, 200) << path;
    const Json json = json_of(get(path));
    EXPECT_EQ(json.string_at("issuer"), kIssuer);
    EXPECT_EQ(json.string_at("authorization_endpoint"), "http://127.0.0.1:8930/authorize");
    EXPECT_EQ(json.string_at("token_endpoint"), "http://127.0.0.1:8930/token");
    EXPECT_EQ(json.string_at("revocation_endpoint"), "http://127.0.0.1:8930/revoke");
    EXPECT_EQ(json.string_at("device_authorization_endpoint"), "http://127.0.0.1:8930/device_authorization");
    EXPECT_EQ(json.string_at("jwks_uri"), "http://127.0.0.1:8930/jwks");
    EXPECT_EQ(*json.find("code_challenge_methods_supported"), Json::array({"S256"}));
    EXPECT_EQ(*json.find("response_types_supported"), Json::array({"code"}));
    EXPECT_EQ(*json.find("grant_types_supported"),
              Json::array({"authorization_code", "refresh_token", std::string(kDeviceGrantType)}));
    for (const char* name : {"token_endpoint_auth_methods_supported", "revocation_endpoint_auth_methods_supported"}) {
      EXPECT_EQ(*json.find(name), Json::array({"none", "client_secret_basic"})) << name;
    }
    EXPECT_EQ(*json.find("scopes_supported"),
              Json::array({"desk:read", "offline_access", "openid", "refunds:approve", "refunds:write"}));
    EXPECT_EQ(json.boolean_at("authorization_response_iss_parameter_supported"), true);
    EXPECT_FALSE(json.has("registration_endpoint"));
    EXPECT_FALSE(json.has("client_id_metadata_document_supported"));
  }
  EXPECT_TRUE(json_of(get("/.well-known/openid-configuration")).has("id_token_signing_alg_values_supported"));
  EXPECT_EQ(get("/.well-known/oauth-authorization-server/x").status, 404);
}

// What no client may use is neither listed nor there.
TEST_F(Authorization, OffersNothingThatNobodyMayUse) {
  auto clients = Clients::of_json(*parse_json(
      R"([{"client_id":"c","name":"C","application_type":"native","redirect_uris":["http://127.0.0.1/callback"],
           "scopes":["desk:read"],"resources":["http://127.0.0.1:8931/mcp"]}])"));
  AuthorizationServer other = *AuthorizationServer::make(env_, {kIssuer, *std::move(clients), People::embedded(), ""});
  routes_ = other.routes();
  const Json json = json_of(get("/.well-known/oauth-authorization-server"));
  EXPECT_EQ(*json.find("grant_types_supported"), Json::array({"authorization_code"}));
  EXPECT_EQ(*json.find("scopes_supported"), Json::array({"desk:read"}));
  EXPECT_EQ(*json.find("token_endpoint_auth_methods_supported"), Json::array({"none"}));
  EXPECT_FALSE(json.has("device_authorization_endpoint"));
  EXPECT_EQ(post("/device_authorization", {}).status, 404);
  EXPECT_EQ(get("/device").status, 404);
  EXPECT_EQ(post("/register", {}).status, 404);
}

}  // namespace
}  // namespace postern::issuer
