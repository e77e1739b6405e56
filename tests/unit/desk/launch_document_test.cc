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
    "admitted":{"customers:read":"00"},"approvals_url":"http://127.0.0.1:8941","payments_url":"http://127.0.0.1:8942",
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
      {"resource", Json("http://127.0.0.1:8931/")},
      {"resource", Json("http://127.0.0.1:8931/mcp?x=1")},
      {"approvals_url", Json("http://127.0.0.1:8941/requests")},
      {"page_origin", Json("javascript:alert(1)")},
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
