// A local world's keys: narrow, kept for its owner only, and the same when it comes back.
#include "host/local_world.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_env.h"
#include "wire/base/digest.h"
#include "wire/base/file.h"

namespace postern::host {
namespace {

using test::refused;
using test::succeeded;

struct WorldBench {
  test::TemporaryFolder folder;
  test::TestEnv env;
  LocalWorld world = LocalWorld::make(env.random, folder.path());
  WorldBench() {
    std::uint16_t port = 40'001;
    for (const std::string_view socket : LocalWorld::kSockets) world.ports.emplace(socket, port++);
  }
};

TEST(LocalWorld, ComesBackAsItWas) {
  WorldBench bench;
  ASSERT_TRUE(succeeded(bench.world.save()));
  EXPECT_EQ(*file_mode(bench.world.keys_file()) & 0777U, 0600U);
  const auto again = LocalWorld::load(bench.folder.path());
  ASSERT_TRUE(succeeded(again));
  EXPECT_EQ(again->issuer_document(), bench.world.issuer_document());
  EXPECT_EQ(again->payments_document(), bench.world.payments_document());
  EXPECT_EQ(again->approvals_document(), bench.world.approvals_document());
  EXPECT_EQ(again->desk_document(), bench.world.desk_document());
}

TEST(LocalWorld, RefusesAKeysFileThatIsIncomplete) {
  WorldBench bench;
  ASSERT_TRUE(replace_file(bench.world.keys_file(), R"({"schema":"postern.local_world/1"})").has_value());
  EXPECT_TRUE(refused(LocalWorld::load(bench.folder.path()), "own.stack_failed"));
}

TEST(LocalWorld, PaymentsAdmitsTheKeysOfTheDeskAndHoldsNone) {
  WorldBench bench;
  const Json payments = bench.world.payments_document();
  const Json desk = bench.world.desk_document();
  const std::string_view key = desk.find("service_credentials")->string_at("payments:refund");
  EXPECT_EQ(payments.find("admitted")->string_at("payments:refund"), sha256_hex(key));
  EXPECT_EQ(payments.dump().find(key), std::string::npos);
  EXPECT_FALSE(payments.has("signing_seed"));
  EXPECT_FALSE(desk.has("signing_seed"));
}

TEST(LocalWorld, NoTwoOperationsShareAKey) {
  WorldBench bench;
  std::set<std::string> keys;
  std::size_t count = 0;
  const Json desk = bench.world.desk_document();
  for (const auto& [operation, key] : desk.find("service_credentials")->members()) {
    keys.insert(*key.string());
    ++count;
  }
  const Json approvals = bench.world.approvals_document();
  for (const char* operation : {"customers:read", "orders:read", "returns:read"}) {
    keys.insert(std::string(approvals.find("service_credentials")->string_at(operation)));
    ++count;
  }
  EXPECT_EQ(keys.size(), count);
  // Approvals can read what was paid, and cannot pay.
  EXPECT_FALSE(approvals.find("service_credentials")->has("payments:refund"));
}

TEST(LocalWorld, OnlyTheHostsClientMaySignInWithoutABrowser) {
  WorldBench bench;
  const Json document = bench.world.issuer_document();
  int headless = 0;
  for (const Json& client : document.find("clients")->elements()) {
    if (client.boolean_at("headless") == true) {
      ++headless;
      EXPECT_EQ(client.string_at("client_id"), "postern-host");
      EXPECT_EQ(client.find("scopes")->dump(), R"(["desk:read","refunds:write"])");
    }
  }
  EXPECT_EQ(headless, 1);
}

}  // namespace
}  // namespace postern::host
