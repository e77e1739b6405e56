#include <gtest/gtest.h>

#include "issuer/metadata_documents.h"
#include "tests/support/routes_client.h"
#include "tests/unit/issuer/training_issuer.h"

namespace postern::issuer {
namespace {

using test::refused;
using test::succeeded;

constexpr const char* kClientId = "https://client.test/oauth/metadata.json";

// What the guard of a fetch said of the addresses that a name could have.
class GuardedClient final : public HttpClient {
 public:
  explicit GuardedClient(test::RoutesClient& inner) : inner_(inner) {}
  std::string address = "93.184.215.14";  // of every name
  std::size_t bytes_max = 0;

  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime deadline,
                            std::stop_token stop) override {
    return inner_.send(uri, request, deadline, stop);
  }
  Result<HttpResponse> send_guarded(const Uri& uri, const HttpRequest& request, const SendGuard& guard,
                                    SteadyTime deadline, std::stop_token stop) override {
    bytes_max = guard.response_bytes_max;
    if (!guard.admits_address(uri.host, address)) return Unreachable{uri.origin(), "the address was refused"};
    return inner_.send(uri, request, deadline, stop);
  }
  Result<HttpResponse> open(const Uri&, const HttpRequest&, const std::function<bool(const HttpResponse&)>&,
                            const std::function<bool(std::string_view)>&, SteadyTime, std::stop_token) override {
    return Unreachable{"", "nobody opens a stream"};
  }

 private:
  test::RoutesClient& inner_;
};

class MetadataDocument : public test::TrainingIssuer {
 protected:
  void SetUp() override {
    open_to_strangers(&client_);
    for (const char* origin :
         {"https://client.test", "http://127.0.0.1:4000", "http://client.test", "https://10.0.0.5"}) {
      web_.serve(origin, site_);
    }
    site_.fallback([this](const HttpRequest&) { return HttpReply(answer_); });
    answer_ = json_response(200, document().dump());
    answer_.headers.set("Cache-Control", "max-age=600");
  }
  static Json document(const char* name = nullptr, Json value = {}) {
    Json json = Json::object({{"client_id", kClientId},
                              {"client_name", "Agent of client.test"},
                              {"redirect_uris", Json::array({"http://127.0.0.1/callback", "https://client.test/cb"})},
                              {"token_endpoint_auth_method", "none"},
                              {"grant_types", Json::array({"authorization_code", "refresh_token"})}});
    if (name != nullptr) json.set(name, std::move(value));
    return json;
  }
  static FormFields request(const char* client_id = kClientId) { return host_request({{"client_id", client_id}}); }
  // Nobody was signed in, and nothing was sent anywhere.
  void expect_refused(const HttpResponse& answer, const char* why) {
    EXPECT_EQ(answer.status, 400);
    EXPECT_FALSE(answer.headers.has("Location"));
    EXPECT_NE(answer.body.find(why), std::string::npos) << answer.body;
  }

  Routes site_;
  HttpResponse answer_;
  test::RoutesClient web_;
  GuardedClient client_{web_};
};

TEST_F(MetadataDocument, IsFetchedForAClientIdThatIsItsUrl) {
  EXPECT_EQ(json_of(get("/.well-known/oauth-authorization-server")).boolean_at("client_id_metadata_document_supported"),
            true);
  const HttpResponse page = choose(request(), "rowan");
  ASSERT_EQ(page.status, 200) << page.body;
  EXPECT_NE(page.body.find("<dt>Client</dt><dd>client.test</dd>"), std::string::npos);
  EXPECT_NE(page.body.find("<dd>127.0.0.1:49152 (this computer)</dd>"), std::string::npos);
  EXPECT_EQ(client_.bytes_max, MetadataDocuments::kBytesMax);
  const std::string code = answer_value(decide(page, "allow"), "code");
  const Json tokens = json_of(post("/token", token_request(code, {{"client_id", kClientId}})));
  EXPECT_TRUE(tokens.has("access_token"));
  EXPECT_EQ(web_.asked(), (std::vector<std::string>{std::string("GET ") + kClientId}));  // once for all of it
}

// A-13, the three negative fixtures.
TEST_F(MetadataDocument, MustBeJson) {
  answer_.headers.set("Content-Type", "text/html");
  expect_refused(show(request()), "its document is not JSON");
  answer_.headers.set("Content-Type", "application/json");
  answer_.body = "{\"client_id\":";
  expect_refused(show(request()), "its document is not JSON that can be read");
  answer_.body = document("client_name", " ").dump();
  expect_refused(show(request()), "client_name is missing");
  answer_.headers.set("Content-Type", "application/client+json");
  answer_.body = document().dump();
  EXPECT_EQ(show(request()).status, 200);
}

TEST_F(MetadataDocument, MustNameItsOwnUrl) {
  for (const char* other :
       {"https://client.test/oauth/metadata.json/", "https://CLIENT.test/oauth/metadata.json", "x", ""}) {
    answer_.body = document("client_id", other).dump();
    expect_refused(show(request()), "names another client_id than its own URL");
  }
  answer_.body = document().dump();
  EXPECT_EQ(show(request()).status, 200);
}

TEST_F(MetadataDocument, MustListTheRedirect) {
  expect_refused(show(host_request({{"client_id", kClientId}, {"redirect_uri", "https://evil.test/cb"}})),
                 "That redirect_uri is not registered");
  expect_refused(show(host_request({{"client_id", kClientId}, {"redirect_uri", "https://client.test/cb?x=1"}})),
                 "That redirect_uri is not registered");
  EXPECT_EQ(show(host_request({{"client_id", kClientId}, {"redirect_uri", "https://client.test/cb"}})).status, 200);
}

TEST_F(MetadataDocument, MayNotCarrySecretsNorUnusableRedirects) {
  answer_.body = document("client_secret", "x").dump();
  expect_refused(show(request()), "carries a secret");
  answer_.body = document("token_endpoint_auth_method", "client_secret_post").dump();
  expect_refused(show(request()), "only &quot;none&quot; is offered");
  answer_.body = document("redirect_uris", Json::array({"cursor://cb"})).dump();
  expect_refused(show(request()), "none of redirect_uris can be used here");
  answer_.body = document("redirect_uris", Json::array({"cursor://cb", "http://127.0.0.1/callback"})).dump();
  EXPECT_EQ(show(request()).status, 200);
}

TEST_F(MetadataDocument, IsFetchedFromPublicPlacesOnly) {
  for (const char* url :
       {"http://client.test/oauth/metadata.json", "https://10.0.0.5/m.json", "https://169.254.169.254/m.json",
        "https://0x7f000001/m.json", "https://client.test", "https://client.test/", "https://client.test/a/../m.json",
        "https://CLIENT.test/m.json", "https://user@client.test/m.json", "https://client.test/m.json#x"}) {
    const HttpResponse answer = show(request(url));
    expect_refused(answer, "The client is not taken");
  }
  EXPECT_TRUE(web_.asked().empty());
  // What a public name leads to is looked at as well.
  for (const char* address : {"10.0.0.5", "127.0.0.1", "169.254.169.254", "::1", "fd00::1", "100.64.0.1"}) {
    client_.address = address;
    expect_refused(show(request()), "its document cannot be had");
  }
  EXPECT_TRUE(web_.asked().empty());
  client_.address = "93.184.215.14";
  EXPECT_EQ(show(request()).status, 200);
}

// This issuer is on this machine, so a document on it is fine, and nothing else that its name could lead to.
TEST_F(MetadataDocument, MayBeOnThisMachine) {
  const char* here = "http://127.0.0.1:4000/client.json";
  answer_.body = document("client_id", here).dump();
  client_.address = "10.0.0.5";
  expect_refused(show(request(here)), "its document cannot be had");
  client_.address = "127.0.0.1";
  EXPECT_EQ(show(request(here)).status, 200);
}

TEST_F(MetadataDocument, IsNotKeptWhenItIsNotThere) {
  answer_.status = 404;
  expect_refused(show(request()), "status 404");
  answer_ = redirect_response("https://client.test/elsewhere");
  expect_refused(show(request()), "status 303");
  answer_ = json_response(200, std::string(MetadataDocuments::kBytesMax + 1, ' '));
  expect_refused(show(request()), "larger than 64 KB");
  answer_ = json_response(200, document().dump());
  EXPECT_EQ(show(request()).status, 200);
}

TEST_F(MetadataDocument, IsKeptAsItsCacheControlSays) {
  ASSERT_EQ(show(request()).status, 200);
  clock_.advance(Seconds(600) - Milliseconds(1));
  ASSERT_EQ(show(request()).status, 200);
  EXPECT_EQ(web_.asked().size(), 1U);
  clock_.advance(Milliseconds(1));
  ASSERT_EQ(show(request()).status, 200);
  EXPECT_EQ(web_.asked().size(), 2U);

  const auto kept = [](const char* field) {
    HttpResponse response;
    if (field != nullptr) response.headers.add("Cache-Control", field);
    return document_lifetime(response).count();
  };
  EXPECT_EQ(kept(nullptr), 3600);
  EXPECT_EQ(kept("public, Max-Age=7200"), 7200);
  EXPECT_EQ(kept("max-age=1"), 60);
  EXPECT_EQ(kept("max-age=7200, no-store"), 60);
  EXPECT_EQ(kept("no-cache"), 60);
  EXPECT_EQ(kept("max-age=99999999999"), 24 * 3600);
  EXPECT_EQ(kept("max-age=99999999999999999999999"), 60);
  EXPECT_EQ(kept("max-age=-5"), 60);
  EXPECT_EQ(kept("max-age"), 3600);
}

TEST_F(MetadataDocument, IsFetchedWithinABound) {
  answer_.status = 404;
  for (int i = 0; i < MetadataDocuments::kFetchesMax; ++i) static_cast<void>(show(request()));
  expect_refused(show(request()), "too many documents were asked for");
  EXPECT_EQ(web_.asked().size(), static_cast<std::size_t>(MetadataDocuments::kFetchesMax));
  clock_.advance(Seconds(60));
  answer_.status = 200;
  EXPECT_EQ(show(request()).status, 200);
}

// A-16.
TEST_F(MetadataDocument, CanBeLimitedToHosts) {
  open_to_strangers(&client_, R"({"metadata_documents":true,"document_hosts":["other.test"],"scopes":["desk:read"],
                                  "resources":["http://127.0.0.1:8931/mcp"]})");
  expect_refused(show(request()), "this issuer takes no documents of client.test");
  open_to_strangers(&client_, R"({"metadata_documents":true,"document_hosts":["client.test"],"scopes":["desk:read"],
                                  "resources":["http://127.0.0.1:8931/mcp"]})");
  EXPECT_EQ(show(request()).status, 200);
}

TEST_F(MetadataDocument, IsFetchedOnlyWhereThatIsConfigured) {
  open_to_strangers(&client_,
                    R"({"registration":true,"scopes":["desk:read"],"resources":["http://127.0.0.1:8931/mcp"]})");
  expect_refused(show(request()), "No client with that client_id is known here");
  EXPECT_FALSE(json_of(get("/.well-known/oauth-authorization-server")).has("client_id_metadata_document_supported"));
  EXPECT_TRUE(web_.asked().empty());
}

// The client of a document that is not fresh any more is still the one that its refresh token was given to.
TEST_F(MetadataDocument, IsNotNeededForARefreshToken) {
  const FormFields asked = changed(request(), {{"scope", "desk:read offline_access"}});
  const std::string code = answer_value(allow(asked, "rowan"), "code");
  const Json tokens = json_of(post("/token", token_request(code, {{"client_id", kClientId}})));
  clock_.advance(Seconds(3600));
  const FormFields refresh = {{"grant_type", "refresh_token"},
                              {"refresh_token", std::string(tokens.string_at("refresh_token"))},
                              {"client_id", kClientId}};
  EXPECT_EQ(error_of(post("/token", changed(refresh, {{"client_secret", "x"}}))), "invalid_client");
  EXPECT_EQ(error_of(post("/token", refresh)), "ok");
  EXPECT_EQ(web_.asked().size(), 1U);
}

}  // namespace
}  // namespace postern::issuer
