// Proves that the launch document is read strictly and that credentials do not stay in it.
#include "services/desk/launch_document.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"

namespace postern::desk {
namespace {

using test::refused;
using test::succeeded;

Json document() {
  return *parse_json(
      R"({"issuer":"http://127.0.0.1:8930","resource":"http://127.0.0.1:8931/mcp",
    "database_dir":"/tmp/d","seed":true,
    "service_credentials":{"customers:read":"svc_1","orders:read":"svc_2","returns:read":"svc_3",
                           "approvals:request":"svc_4",
                           "payments:refund":"svc_5","payments:read":"svc_6"},
    "admitted":{"customers:read":"00","orders:read":"01","returns:read":"02"},
    "approvals_url":"http://127.0.0.1:8941","payments_url":"http://127.0.0.1:8942",
    "page_origin":"http://127.0.0.1:8940","key_ring_file":"/tmp/d/ring.json"})");
}

TEST(DeskLaunchDocument, IsReadAndItsCredentialsAreTakenOut) {
  Json json = document();
  const auto options = read_launch_document(json);
  ASSERT_TRUE(succeeded(options));
  EXPECT_EQ(options->desk.resource, "http://127.0.0.1:8931/mcp");
  EXPECT_TRUE(options->desk.store.seed);
  EXPECT_EQ(options->port, 0);
  EXPECT_TRUE(options->desk.payments.refund.equal(services::ServiceCredential::take("svc_5")));
  EXPECT_TRUE(options->desk.store.credentials.returns.equal(services::ServiceCredential::take("svc_3")));
  EXPECT_EQ(json.dump().find("svc_"), std::string::npos);
}

TEST(DeskLaunchDocument, HasLimitsHealthAndProxiesWhenItNamesThem) {
  Json json = document();
  const auto without = read_launch_document(json);
  ASSERT_TRUE(succeeded(without));
  EXPECT_EQ(without->desk.limits.principal.per_second, 20);
  EXPECT_EQ(without->desk.limits.principal.burst, 200);
  EXPECT_EQ(without->desk.limits.address.per_second, 5);
  EXPECT_EQ(without->desk.limits.address.burst, 100);
  EXPECT_FALSE(without->health_port);
  EXPECT_TRUE(without->trusted_proxies.empty());
  json = document();
  json.set("limits", *parse_json(R"({"address":{"per_second":0.5,"burst":3}})"));
  json.set("health_port", 8939).set("trusted_proxies", Json::array({"127.0.0.1", "10.0.0.0/8"}));
  const auto with = read_launch_document(json);
  ASSERT_TRUE(succeeded(with));
  EXPECT_EQ(with->desk.limits.principal.burst, 200);
  EXPECT_EQ(with->desk.limits.address.per_second, 0.5);
  EXPECT_EQ(with->desk.limits.address.burst, 3);
  EXPECT_EQ(with->health_port, 8939);
  EXPECT_EQ(with->trusted_proxies, (std::vector<std::string>{"127.0.0.1", "10.0.0.0/8"}));
}

TEST(DeskLaunchDocument, RefusesEachMemberThatIsMissing) {
  const Json whole = document();
  for (const auto& [name, value] : whole.members()) {
    if (name == "seed") continue;
    Json json = document();
    json.erase(name);
    const auto read = read_launch_document(json);
    ASSERT_TRUE(refused(read, "own.bad_launch_document")) << name;
    EXPECT_NE(read.error().text().find(name), std::string::npos) << read.error().text();
  }
  Json json = document();
  json.erase("seed");
  EXPECT_TRUE(succeeded(read_launch_document(json)));
}

TEST(DeskLaunchDocument, RefusesWhatItDoesNotKnowAndWhatHasNotTheForm) {
  const std::pair<const char*, Json> rows[] = {
      {"ports", Json(1)},
      {"port", Json(70'000)},
      {"seed", Json("yes")},
      {"admitted", Json("x")},
      {"admitted", *parse_json(R"({"customers:read":"00","orders:read":"01"})")},
      {"issuer", Json("")},
      {"issuer", Json("nonsense")},
      {"issuer", Json("http://login.example")},
      {"issuer", Json("https://login.example/?tenant=1")},
      {"key_ring_file", Json("")},
      {"health_port", Json(-1)},
      {"health_port", Json("8939")},
      {"trusted_proxies", Json("127.0.0.1")},
      {"trusted_proxies", Json::array({1})},
      {"limits", Json(false)},
      {"limits", *parse_json(R"({"principals":{"per_second":1,"burst":1}})")},
      {"limits", *parse_json(R"({"principal":{"per_second":1}})")},
      {"limits", *parse_json(R"({"principal":{"burst":1}})")},
      {"limits", *parse_json(R"({"principal":{"per_second":1,"burst":1,"off":true}})")},
      {"limits", *parse_json(R"({"address":{"per_second":0,"burst":1}})")},
      {"limits", *parse_json(R"({"address":{"per_second":1e7,"burst":1}})")},
      {"limits", *parse_json(R"({"address":{"per_second":1,"burst":0}})")},
      {"limits", *parse_json(R"({"address":null})")},
      {"resource", Json("http://127.0.0.1:8931/")},
      {"resource", Json("http://127.0.0.1:8931/mcp?x=1")},
      {"resource", Json("http://desk.example/mcp")},
      {"approvals_url", Json("http://127.0.0.1:8941/requests")},
      {"payments_url", Json("http://payments.example")},
      {"page_origin", Json("javascript:alert(1)")},
      {"page_origin", Json("http://approvals.example")},
      {"service_credentials", *parse_json(R"({"customers:read":"svc_1"})")},
  };
  for (const auto& [name, value] : rows) {
    Json json = document();
    json.set(name, value);
    EXPECT_TRUE(refused(read_launch_document(json), "own.bad_launch_document")) << name << " " << value.dump();
  }
  Json json = document();
  json.find("service_credentials")->set("issuer:sign", "svc_7");
  EXPECT_TRUE(refused(read_launch_document(json), "own.bad_launch_document"));
}

}  // namespace
}  // namespace postern::desk
