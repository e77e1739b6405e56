#include "tests/lab/removal/signing_desk.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "wire/base/bytes.h"
#include "wire/oauth/jwk.h"
#include "wire/oauth/jws.h"

namespace postern::lab {
namespace {

using postern::test::refused;
using postern::test::succeeded;

constexpr std::string_view kSecret = "a secret of twenty-four or more";

HttpRequest asking(std::string_view secret) {
  HttpRequest request;
  request.method = "POST";
  request.target = "/lab/sign";
  if (!secret.empty()) request.headers.add("Authorization", "Bearer " + std::string(secret));
  request.body = R"({"header":{"typ":null},"claims":{"sub":"rowan","exp":null,"iss":"x"}})";
  return request;
}

SigningDesk desk() {
  Json document = Json::object({{"sign_secret", kSecret}});
  return *SigningDesk::take(document).value();
}

TEST(SigningDesk, SignsForWhoeverKnowsTheSecret) {
  const SigningDesk signing = desk();
  const HttpResponse response = signing.sign(asking(kSecret));
  ASSERT_EQ(response.status, 200);
  const std::string token(parse_json(response.body)->string_at("token"));
  const std::string claims =
      base64url_decode(token.substr(token.find('.') + 1, token.rfind('.') - token.find('.') - 1)).value();
  EXPECT_EQ(claims, R"({"sub":"rowan","iss":"x"})");  // what is null is left out
  const std::string header = base64url_decode(token.substr(0, token.find('.'))).value();
  EXPECT_EQ(header.find("typ"), std::string::npos);
  EXPECT_NE(header.find("\"alg\":\"ES256\""), std::string::npos);
}

TEST(SigningDesk, SignsForNobodyElse) {
  const SigningDesk signing = desk();
  for (const std::string_view secret :
       {std::string_view(), std::string_view("another secret, long enough"), kSecret.substr(1)}) {
    EXPECT_EQ(signing.sign(asking(secret)).status, 403) << secret;
  }
  HttpRequest other = asking(kSecret);
  other.body = "[]";
  EXPECT_EQ(signing.sign(other).status, 400);
}

TEST(SigningDesk, IsThereOnlyWhenTheDocumentSaysSo) {
  Json document = Json::object({{"issuer", "x"}});
  const auto none = SigningDesk::take(document);
  ASSERT_TRUE(none.has_value());
  EXPECT_FALSE(none->has_value());
  Json secret = Json::object({{"issuer", "x"}, {"sign_secret", kSecret}});
  EXPECT_TRUE(SigningDesk::take(secret)->has_value());
  EXPECT_FALSE(secret.has("sign_secret"));  // the product's own reader does not know it
  Json brief = Json::object({{"sign_secret", "short"}});
  EXPECT_TRUE(refused(SigningDesk::take(brief), "own.bad_launch_document"));
}

}  // namespace
}  // namespace postern::lab
