#include "services/downstream/downstream_log.h"

#include <gtest/gtest.h>

#include "tests/support/manual_clock.h"
#include "tests/support/refused.h"
#include "tests/support/service_credentials.h"
#include "tests/support/temporary_folder.h"

namespace postern::services {
namespace {

class DownstreamFile : public testing::Test {
 protected:
  ServiceAdmission admission(const std::string& service) {
    return ServiceAdmission(*ServiceAuthentication::of_json(test::admitted({"orders:read"})),
                            *DownstreamLog::open(clock_, folder_.path(), service));
  }
  std::string text() const { return *read_file(folder_ / "downstream.jsonl", 1 << 20); }

  test::TemporaryFolder folder_;
  test::ManualClock clock_;
};

TEST_F(DownstreamFile, HoldsALineForEachCallWithTheKindOfItsCredential) {
  const ServiceAdmission door = admission("orders");
  EXPECT_TRUE(test::succeeded(
      door.admit("orders:read", PresentedCredential::of(test::credential_of("orders:read")), "postern-desk")));
  EXPECT_TRUE(test::refused(
      door.admit("orders:read", PresentedCredential::of(ServiceCredential::take(test::kBearerText)), "x\ny"),
      "service.foreign_credential"));
  const std::string lines = text();
  const std::size_t end = lines.find('\n');
  const Json first = *parse_json(lines.substr(0, end));
  EXPECT_EQ(first, Json::object({{"at", rfc3339(clock_.now())},
                                 {"service", "orders"},
                                 {"operation", "orders:read"},
                                 {"caller", "postern-desk"},
                                 {"credential_kind", "service"},
                                 {"admitted", true}}));
  const Json second = *parse_json(lines.substr(end + 1, lines.size() - end - 2));
  EXPECT_EQ(second.string_at("credential_kind"), "bearer");
  EXPECT_EQ(second.boolean_at("admitted"), false);
  EXPECT_EQ(second.string_at("caller"), "x[U+000A]y");
  EXPECT_EQ(lines.find("eyJ"), std::string::npos);
  EXPECT_EQ(lines.find("svc_"), std::string::npos);
}

TEST_F(DownstreamFile, IsSharedByServicesAndForTheOwnerOnly) {
  const PresentedCredential own = PresentedCredential::of(test::credential_of("orders:read"));
  EXPECT_TRUE(test::succeeded(admission("orders").admit("orders:read", own, "a")));
  EXPECT_TRUE(test::succeeded(admission("other").admit("orders:read", own, "b")));
  const std::string lines = text();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
  EXPECT_EQ(*file_mode(folder_ / "downstream.jsonl"), 0600U);
}

}  // namespace
}  // namespace postern::services
