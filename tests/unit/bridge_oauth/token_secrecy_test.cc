// What a wire log keeps of the requests to an authorization server and of its answers.
#include <gtest/gtest.h>

#include "tests/support/seeded_random.h"
#include "wire/tap/fingerprint.h"
#include "wire/tap/redact.h"

namespace postern {
namespace {

// MCP 2026-07-28 basic/authorization, "Token Theft".
TEST(TokenSecrecy, NothingThatOpensAnythingIsLogged) {
  test::SeededRandom random;
  const Fingerprints fingerprints(random);
  const Redactor redactor(fingerprints);
  const auto hides = [](const std::string& text) {
    EXPECT_EQ(text.find("planted"), std::string::npos) << text;
    return text;
  };
  for (const char* name : {"client_secret", "client_assertion", "refresh_token", "device_code", "subject_token",
                           "actor_token", "assertion", "code", "code_verifier", "token"}) {
    // First, in the midst and last; as a form and as a member of JSON, also inside of a string of JSON.
    const std::string field = std::string(name) + "=planted-1-x";
    hides(redactor.form(field + "&grant_type=x"));
    hides(redactor.form("grant_type=x&" + field + "&scope=desk%3Aread"));
    hides(redactor.form("grant_type=x&" + field));
    hides(redactor.text("{\"a\":1,\"" + std::string(name) + "\": \"planted-1-x\"}"));
    hides(redactor.text("{\"a\":\"{\\\"" + std::string(name) + "\\\":\\\"planted-1-x\\\"}\"}"));
  }
  for (const char* name : {"access_token", "refresh_token", "id_token", "client_secret", "registration_access_token"})
    hides(redactor.text("{\"" + std::string(name) + "\":\"planted-1-x\",\"expires_in\":300}"));
  hides(
      redactor.text(R"({"user_code":"planted-1","verification_uri_complete":"https://a.test/d?user_code=planted-1"})"));
  hides(redactor.header("Authorization", "Basic planted1"));
  hides(redactor.header("Authorization", "DPoP planted-1"));
  hides(redactor.header("DPoP", "planted.planted.planted"));
  // What a reader of the log needs stays.
  EXPECT_EQ(hides(redactor.form("grant_type=refresh_token&refresh_token=planted&resource=https%3A%2F%2Fa.test%2Fmcp"))
                .find("grant_type=refresh_token&refresh_token=<token:"),
            0U);
}

}  // namespace
}  // namespace postern
