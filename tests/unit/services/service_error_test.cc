#include "services/service_authentication/service_error.h"

#include <gtest/gtest.h>

#include "services/service_authentication/service_authentication.h"

namespace postern::services {
namespace {

template <Disposition kWay>
struct Planted {
  static constexpr std::string_view kId = "test.planted";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = kWay;
  [[nodiscard]] std::string text() const { return "the planted detail"; }
};

TEST(ServiceError, NamesTheFailureByIdAndText) {
  const HttpResponse response = service_error_response(ForeignCredential{"orders:read", CredentialKind::kBearer});
  EXPECT_EQ(response.status, 403);
  const Json body = *parse_json(response.body);
  EXPECT_EQ(body.find("error")->string_at("id"), "service.foreign_credential");
  EXPECT_NE(body.find("error")->string_at("text").find("orders:read"), std::string::npos);
}

TEST(ServiceError, KeepsTheDetailsOfAnInternalFailure) {
  const HttpResponse internal = service_error_response(Planted<Disposition::kInternal>{});
  EXPECT_EQ(internal.status, 500);
  EXPECT_EQ(internal.body.find("planted detail"), std::string::npos);
  const HttpResponse conflict = service_error_response(Planted<Disposition::kConflict>{});
  EXPECT_EQ(conflict.status, 409);
  EXPECT_NE(conflict.body.find("planted detail"), std::string::npos);
}

TEST(ServiceError, SaysWhenToTryAgain) {
  const HttpResponse response = service_error_response(Planted<Disposition::kUnavailable>{});
  EXPECT_EQ(response.status, 503);
  EXPECT_TRUE(response.headers.has("Retry-After"));
}

}  // namespace
}  // namespace postern::services
