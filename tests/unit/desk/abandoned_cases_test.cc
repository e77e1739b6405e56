// Proves that a client who never comes back leaves nothing behind for good (MCP 2026-07-28 basic/patterns/mrtr).
#include <gtest/gtest.h>

#include "services/desk/case_handles.h"
#include "services/store/database.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_env.h"
#include "wire/base/embedded.h"

POSTERN_EMBEDDED(services_desk_migrations)

namespace postern::desk {
namespace {

std::int64_t stored_handles(const std::string& path) {
  services::DatabaseOptions options;
  options.path = path;
  options.migrations = embedded::services_desk_migrations();
  const auto database = *services::Database::open(std::move(options));
  const auto count = database->read<std::int64_t>([](services::Connection& connection) -> Result<std::int64_t> {
    services::Statement row = connection.statement("SELECT COUNT(*) FROM case_handles");
    POSTERN_TRY_VOID(row.step());
    return row.integer(0);
  });
  EXPECT_TRUE(test::succeeded(count));
  return count.value_or(-1);
}

TEST(AbandonedCases, AreForgottenWhenTheirTimeIsOver) {
  const test::TemporaryFolder folder;
  test::TestEnv env;
  const auto handles = *CaseHandles::open(env.env(), folder.path(), product_handle_key());
  const services::StdioLaunch rowan("rowan");
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(test::succeeded(handles->open_case(rowan.principal(), services::TicketId("T-1042"))));
  }
  EXPECT_EQ(stored_handles(folder / "desk.sqlite"), 3);
  env.clock.advance(Seconds(900));
  ASSERT_TRUE(test::succeeded(handles->open_case(rowan.principal(), services::TicketId("T-1042"))));
  EXPECT_EQ(stored_handles(folder / "desk.sqlite"), 1);
}

}  // namespace
}  // namespace postern::desk
