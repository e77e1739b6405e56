#include "wire/oauth/challenge.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/shared_file.h"

namespace postern {
namespace {

using test::refused;
using test::succeeded;

using Urls = std::vector<std::string>;

constexpr const char* kMetadataUrl = "http://127.0.0.1:8931/.well-known/oauth-protected-resource/mcp";

Result<std::optional<BearerChallenge>> read(std::initializer_list<std::string> fields) {
  HeaderList headers;
  for (const std::string& field : fields) headers.add("www-authenticate", field);
  return read_bearer_challenge(headers);
}

TEST(BearerChallenge, IsFoundAmongOthersInOneField) {
  const auto challenge =
      read({std::string("Basic realm=\"a, b\", Negotiate abc==, bearer Scope=\"desk:read refunds:write\", "
                        "error=insufficient_scope, error_description=\"no \\\"right\\\", sorry\", "
                        "resource_metadata=\"") +
            kMetadataUrl + "\", DPoP algs=\"ES256\""});
  ASSERT_TRUE(succeeded(challenge));
  ASSERT_TRUE(challenge->has_value());
  EXPECT_EQ((*challenge)->error, "insufficient_scope");
  EXPECT_EQ((*challenge)->error_description, "no \"right\", sorry");
  EXPECT_EQ((*challenge)->resource_metadata, Urls{kMetadataUrl});
  EXPECT_EQ((*challenge)->scope->text(), "desk:read refunds:write");
}

TEST(BearerChallenge, IsFoundAmongSeveralFields) {
  const auto challenge = read({"Basic realm=\"x\"", "Bearer scope=\"desk:read\""});
  ASSERT_TRUE(succeeded(challenge));
  ASSERT_TRUE(challenge->has_value());
  EXPECT_EQ((*challenge)->scope->text(), "desk:read");
  EXPECT_TRUE((*challenge)->resource_metadata.empty());
}

TEST(BearerChallenge, IsAbsentWithoutABearerScheme) {
  EXPECT_FALSE(read({})->has_value());
  EXPECT_FALSE(read({"Basic realm=\"Bearer scope=x\""})->has_value());
  EXPECT_FALSE(read({"BearerX scope=\"a\""})->has_value());
  EXPECT_TRUE(read({"Bearer"})->has_value());
}

TEST(BearerChallenge, MayHaveTheSchemeDpop) {
  const auto challenge = read({"DPoP algs=\"ES256\", error=\"use_dpop_nonce\", scope=\"desk:read\""});
  ASSERT_TRUE(succeeded(challenge));
  ASSERT_TRUE(challenge->has_value());
  EXPECT_EQ((*challenge)->error, "use_dpop_nonce");
  EXPECT_EQ((*challenge)->scope->text(), "desk:read");
}

TEST(BearerChallenge, IsReadFromSeveralAsOne) {
  const auto challenge =
      read({"Bearer resource_metadata=\"https://a.test\", DPoP algs=\"ES256\", error=\"invalid_token\"",
            "Bearer scope=\"desk:read\", resource_metadata=\"https://b.test\"",
            "Bearer scope=\"other\", resource_metadata=\"https://a.test\""});
  ASSERT_TRUE(succeeded(challenge));
  EXPECT_EQ((*challenge)->error, "invalid_token");
  EXPECT_EQ((*challenge)->scope->text(), "desk:read");
  EXPECT_EQ((*challenge)->resource_metadata, (Urls{"https://a.test", "https://b.test"}));
}

TEST(BearerChallenge, IsReadBesideAFieldThatCannotBe) {
  const auto challenge = read({"Bearer scope='x y'", "Bearer scope=\"desk:read\""});
  ASSERT_TRUE(succeeded(challenge));
  EXPECT_EQ((*challenge)->scope->text(), "desk:read");
}

TEST(BearerChallenge, RefusesAParameterThatOccursTwice) {
  EXPECT_TRUE(refused(read({"Bearer resource_metadata=\"http://a.test\", resource_metadata=\"http://b.test\""}),
                      "oauth.malformed_challenge"));
  EXPECT_TRUE(refused(read({"Bearer scope=\"a\", SCOPE=\"b\""}), "oauth.malformed_challenge"));
  EXPECT_TRUE(succeeded(read({"Bearer scope=\"a\", x_scope=\"b\""})));
}

TEST(BearerChallenge, RefusesBrokenQuotes) {
  for (const char* field : {"Bearer scope=\"a", "Bearer scope=\"a\\", "Bearer scope='a b'",
                            "Bearer scope=\"a\" error=\"b\"", "Bearer scope=\"a\x01\"", "=\"a\"", "Bearer =\"a\""}) {
    EXPECT_TRUE(refused(read({field}), "oauth.malformed_challenge")) << field;
  }
}

// A row of these files has the field "h" and what must be read from it.
void check_rows(const Json& rows) {
  for (const Json& row : rows.elements()) {
    const std::string field(row.string_at("h"));
    const auto challenge = read({field});
    const BearerChallenge found = challenge && *challenge ? **challenge : BearerChallenge();
    if (row.has("scope")) {
      EXPECT_EQ(found.scope ? found.scope->text() : "", row.string_at("scope")) << field;
    }
    if (row.has("rm")) {
      const std::string url(row.string_at("rm"));
      EXPECT_EQ(found.resource_metadata, url.empty() ? Urls() : Urls{url}) << field;
    }
  }
}

TEST(BearerChallenge, FindsParametersByTheirWholeName) {
  POSTERN_SHARED_JSON(rows, "cases/B-032/cases.json");
  check_rows(rows);
}

TEST(BearerChallenge, ReadsBlanksAroundTheEqualsSign) {
  POSTERN_SHARED_JSON(rows, "cases/B-034/cases.json");
  check_rows(rows);
}

TEST(ChallengeWriter, WritesWhatTheReaderReads) {
  ChallengeWriter writer("Bearer");
  writer.add("error", "invalid_token").add("resource_metadata", kMetadataUrl);
  EXPECT_EQ(writer.text(), std::string("Bearer error=\"invalid_token\", resource_metadata=\"") + kMetadataUrl + "\"");
  const auto challenge = read({writer.text()});
  EXPECT_EQ((*challenge)->resource_metadata, Urls{kMetadataUrl});
}

TEST(ChallengeWriter, LetsNoValueEndTheStringOrTheLine) {
  ChallengeWriter writer("Bearer");
  writer.add("error_description", "a\"b\\c\r\nX-Injected: 1\xC3\xA4");
  EXPECT_EQ(writer.text(), "Bearer error_description=\"a?b?c??X-Injected: 1??\"");
}

}  // namespace
}  // namespace postern
