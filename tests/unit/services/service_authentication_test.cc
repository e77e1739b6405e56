#include "services/service_authentication/service_authentication.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/service_credentials.h"

namespace postern::services {
namespace {

using test::admitted;
using test::credential_of;
using test::credential_text;

ServiceAuthentication payments_door() {
  return *ServiceAuthentication::of_json(admitted({"payments:read", "payments:refund"}));
}

HttpRequest request_with(const std::string& authorization) {
  HttpRequest request;
  request.headers.add("Authorization", authorization);
  return request;
}

TEST(ServiceDoor, AdmitsItsOwnCredential) {
  const auto door = payments_door();
  EXPECT_TRUE(test::succeeded(door.admit("payments:read", PresentedCredential::of(credential_of("payments:read")))));
  HttpRequest request;
  ServiceAuthorizationHeader::write(request, credential_of("payments:refund"));
  EXPECT_EQ(*request.headers.find("authorization"), "Service " + credential_text("payments:refund"));
  EXPECT_TRUE(test::succeeded(door.admit("payments:refund", PresentedCredential::of(request))));
}

TEST(ServiceDoor, RefusesTheCredentialOfAnotherOperationOrService) {
  const auto door = payments_door();
  for (const char* other : {"payments:read", "orders:read", "payments:refun", "payments:refund "}) {
    const Status status = door.admit("payments:refund", PresentedCredential::of(credential_of(other)));
    ASSERT_TRUE(test::refused(status, "service.foreign_credential")) << other;
    EXPECT_EQ(status.error().as<ForeignCredential>()->kind, CredentialKind::kService);
  }
}

TEST(ServiceDoor, RefusesACallersBearerTokenInEveryPlace) {
  const auto door = payments_door();
  const std::string bearer = test::kBearerText;
  const std::vector<PresentedCredential> presented{
      PresentedCredential::of(ServiceCredential::take(std::string(bearer))),
      PresentedCredential::of(request_with("Bearer " + bearer)),
      PresentedCredential::of(request_with("bearer " + bearer)),
      PresentedCredential::of(request_with("Service " + bearer)),
      // Our own credential under the wrong scheme is not one either.
      PresentedCredential::of(request_with("Bearer " + credential_text("payments:refund")))};
  for (const PresentedCredential& credential : presented) {
    EXPECT_EQ(credential.kind(), CredentialKind::kBearer);
    EXPECT_TRUE(test::refused(door.admit("payments:refund", credential), "service.foreign_credential"));
  }
}

TEST(ServiceDoor, RefusesNoneAndUnknownOnes) {
  const auto door = payments_door();
  EXPECT_EQ(PresentedCredential::of(HttpRequest{}).kind(), CredentialKind::kNone);
  EXPECT_EQ(PresentedCredential::of(ServiceCredential()).kind(), CredentialKind::kNone);
  EXPECT_EQ(PresentedCredential::of(request_with("Basic c3Zj")).kind(), CredentialKind::kUnknown);
  EXPECT_EQ(PresentedCredential::of(request_with("Service password")).kind(), CredentialKind::kUnknown);
  HttpRequest twice = request_with("Service " + credential_text("payments:refund"));
  twice.headers.add("Authorization", "Service " + credential_text("payments:refund"));
  EXPECT_EQ(PresentedCredential::of(twice).kind(), CredentialKind::kUnknown);
  for (const HttpRequest& request :
       {HttpRequest{}, request_with("Basic c3Zj"), request_with("Service password"), twice}) {
    EXPECT_TRUE(
        test::refused(door.admit("payments:refund", PresentedCredential::of(request)), "service.foreign_credential"));
  }
}

TEST(ServiceDoor, RefusesEveryoneWhereNothingIsAdmitted) {
  const auto door = *ServiceAuthentication::of_json(admitted({}));
  EXPECT_TRUE(test::refused(door.admit("payments:read", PresentedCredential::of(credential_of("payments:read"))),
                            "service.foreign_credential"));
  EXPECT_TRUE(
      test::refused(door.admit("payments:read", PresentedCredential::of(HttpRequest{})), "service.foreign_credential"));
}

TEST(ServiceDoor, RefusesAnAdmissionThatIsNoDigest) {
  EXPECT_TRUE(test::refused(ServiceAuthentication::of_json(Json()), "service.bad_admission"));
  for (const Json& digest :
       {Json(""), Json("svc_plain"), Json(1), Json(std::string(62, 'a')), Json(std::string(64, 'g'))}) {
    EXPECT_TRUE(
        test::refused(ServiceAuthentication::of_json(Json::object({{"a:b", digest}})), "service.bad_admission"));
  }
  EXPECT_TRUE(test::succeeded(ServiceAuthentication::of_json(Json::object({{"a:b", std::string(64, 'a')}}))));
}

TEST(ServiceDoor, ShowsNothingOfACredentialInItsRefusal) {
  const Status status = payments_door().admit("payments:refund", PresentedCredential::of(credential_of("orders:read")));
  EXPECT_EQ(status.error().text().find("svc_"), std::string::npos);
}

}  // namespace
}  // namespace postern::services
