#include "wire/oauth/device_authorization.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "wire/base/json.h"

namespace postern {
namespace {

using test::refused;
using test::succeeded;

// The example of RFC 8628 section 3.2, with one member changed; null takes it away.
HttpResponse device_answer(const char* name = nullptr, Json value = nullptr) {
  Json json = Json::object({{"device_code", "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS"},
                            {"user_code", "WDJB-MJHT"},
                            {"verification_uri", "https://example.com/device"},
                            {"verification_uri_complete", "https://example.com/device?user_code=WDJB-MJHT"},
                            {"expires_in", 1800},
                            {"interval", 5}});
  if (name != nullptr && value.is_null()) json.erase(name);
  if (name != nullptr && !value.is_null()) json.set(name, std::move(value));
  return json_response(200, json.dump());
}

TEST(DeviceAuthorization, IsReadAsTheSpecificationWritesIt) {
  const auto device = read_device_authorization(device_answer());
  ASSERT_TRUE(succeeded(device));
  EXPECT_TRUE(device->device_code.equal(DeviceCode::take("GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS")));
  EXPECT_EQ(device->user_code, "WDJB-MJHT");
  EXPECT_EQ(device->verification_uri, "https://example.com/device");
  EXPECT_EQ(device->verification_uri_complete, "https://example.com/device?user_code=WDJB-MJHT");
  EXPECT_EQ(device->expires_in, Seconds(1800));
  EXPECT_EQ(device->interval, Seconds(5));
}

TEST(DeviceAuthorization, LeavesOutWhatMayBeLeftOut) {
  const auto device = read_device_authorization(device_answer("verification_uri_complete"));
  ASSERT_TRUE(succeeded(device));
  EXPECT_EQ(device->verification_uri_complete, "");
  EXPECT_EQ(read_device_authorization(device_answer("interval"))->interval, Seconds(5));
  EXPECT_EQ(read_device_authorization(device_answer("interval", 0))->interval, Seconds(1));
  EXPECT_EQ(read_device_authorization(device_answer("interval", 30))->interval, Seconds(30));
  EXPECT_EQ(read_device_authorization(device_answer("expires_in", 999'999'999))->expires_in, Seconds(86'400));
}

TEST(DeviceAuthorization, RefusesWhatNobodyCouldType) {
  for (const char* code : {"", "one\ntwo", "\x1b[2Jgone", "abc\xE2\x80\xAE", "\xD0\x90\xD0\x91"}) {
    EXPECT_TRUE(refused(read_device_authorization(device_answer("user_code", code)), "sign_in.malformed_device_code"))
        << code;
  }
  EXPECT_TRUE(refused(read_device_authorization(device_answer("user_code", std::string(65, 'A'))),
                      "sign_in.malformed_device_code"));
  EXPECT_TRUE(succeeded(read_device_authorization(device_answer("user_code", std::string(64, 'A')))));
  EXPECT_TRUE(succeeded(read_device_authorization(device_answer("user_code", "123 456"))));
}

TEST(DeviceAuthorization, RefusesWhatLacksAPart) {
  for (const char* name : {"device_code", "user_code", "verification_uri", "expires_in"}) {
    EXPECT_TRUE(refused(read_device_authorization(device_answer(name)), "sign_in.malformed_device_code")) << name;
    EXPECT_TRUE(refused(read_device_authorization(device_answer(name, Json::array())), "sign_in.malformed_device_code"))
        << name;
  }
  for (const char* url : {"javascript:alert(1)", "file:///etc/passwd", "example.com/device", ""}) {
    EXPECT_TRUE(
        refused(read_device_authorization(device_answer("verification_uri", url)), "sign_in.malformed_device_code"));
  }
  EXPECT_TRUE(refused(read_device_authorization(device_answer("verification_uri_complete", "javascript:alert(1)")),
                      "sign_in.malformed_device_code"));
  EXPECT_TRUE(refused(read_device_authorization(device_answer("device_code", "a b")), "sign_in.malformed_device_code"));
  EXPECT_TRUE(refused(read_device_authorization(device_answer("expires_in", 0)), "sign_in.malformed_device_code"));
  EXPECT_TRUE(refused(read_device_authorization(device_answer("interval", "5")), "sign_in.malformed_device_code"));
  EXPECT_TRUE(refused(read_device_authorization(json_response(200, "[]")), "sign_in.malformed_device_code"));
}

TEST(DeviceAuthorization, SaysWhatTheIssuerSays) {
  const auto refusal = read_device_authorization(
      json_response(400, R"({"error":"unauthorized_client","error_description":"not \u001b[31mthis one"})"));
  ASSERT_TRUE(refused(refusal, "sign_in.token_refused"));
  EXPECT_NE(refusal.error().text().find("unauthorized_client"), std::string::npos);
  EXPECT_EQ(refusal.error().text().find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace postern
