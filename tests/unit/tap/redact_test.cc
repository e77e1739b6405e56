// The redactor: every kind of secret in every place it can stand, and the text around it untouched.
#include "wire/tap/redact.h"

#include <gtest/gtest.h>

#include <regex>

#include "tests/support/seeded_random.h"

namespace postern {
namespace {

constexpr std::string_view kJwt =
    "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJpc3MiOiJodHRwOi8vMTI3LjAuMC4xIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg";
constexpr std::string_view kHandle = "ch_Qm9vbXNoYWthbGFrYUFB";

class Redaction : public testing::Test {
 protected:
  test::SeededRandom random_;
  Fingerprints fingerprints_{random_};
  Redactor redactor_{fingerprints_};

  [[nodiscard]] std::string mark(std::string_view kind, std::string_view secret) const {
    return fingerprints_.mark(kind, secret);
  }
};

TEST_F(Redaction, MarksByKindAndSixKeyedDigits) {
  const std::string text = redactor_.text(std::string("token ") + std::string(kHandle) + " end");
  EXPECT_TRUE(std::regex_match(text, std::regex("token <handle:[0-9a-f]{6}> end"))) << text;
}

TEST_F(Redaction, EqualSecretsShowEqualDigitsInEveryPlace) {
  const std::string digits = fingerprints_.digits(kJwt);
  const std::string jwt(kJwt);
  EXPECT_EQ(redactor_.header("Authorization", "Bearer " + jwt), "<token:" + digits + ">");
  EXPECT_EQ(redactor_.text("{\"access_token\":\"" + jwt + "\"}"), "{\"access_token\":\"<token:" + digits + ">\"}");
  EXPECT_EQ(redactor_.text("said " + jwt + ", then"), "said <jwt:" + digits + ">, then");
  EXPECT_EQ(redactor_.form("access_token=" + jwt), "access_token=<token:" + digits + ">");
}

TEST_F(Redaction, AnotherRunShowsOtherDigits) {
  test::SeededRandom other_random("another");
  const Fingerprints other(other_random);
  EXPECT_NE(other.digits(kJwt), fingerprints_.digits(kJwt));
}

TEST_F(Redaction, ReadsHeadersByTheirName) {
  EXPECT_EQ(redactor_.header("authorization", "Service svc_abc"), mark("credential", "svc_abc"));
  EXPECT_EQ(redactor_.header("Proxy-Authorization", "Basic dTpw"), mark("credential", "dTpw"));
  EXPECT_EQ(redactor_.header("X-Api-Key", "short"), mark("key", "short"));
  EXPECT_EQ(redactor_.header("x-auth-token", "plain words"), mark("secret", "plain words"));
  EXPECT_EQ(redactor_.header("Cookie", "desk_session=abc; theme=dark"),
            "desk_session=" + mark("cookie", "abc") + "; theme=" + mark("cookie", "dark"));
  EXPECT_EQ(redactor_.header("Set-Cookie", "__Host-s=abc; Path=/; HttpOnly"),
            "__Host-s=" + mark("cookie", "abc") + "; Path=/; HttpOnly");
  EXPECT_EQ(redactor_.header("Location", "http://127.0.0.1:9/cb?code=xyz&iss=http%3A%2F%2F127.0.0.1"),
            "http://127.0.0.1:9/cb?code=" + mark("code", "xyz") + "&iss=http%3A%2F%2F127.0.0.1");
}

TEST_F(Redaction, LeavesOtherHeadersAsTheyAre) {
  for (const char* value : {"application/json, text/event-stream", "tools/call", "close", "\"etag-1\"", "2026-07-28"}) {
    EXPECT_EQ(redactor_.header("accept", value), value);
  }
  EXPECT_EQ(redactor_.header("idempotency-key", "run-7-step-3"), "run-7-step-3");
}

TEST_F(Redaction, ReadsFormFieldsFirstAndLast) {
  const std::string body =
      "code=abc&grant_type=authorization_code&code_verifier=v1&client_secret=s%2B1&refresh_token=r";
  EXPECT_EQ(redactor_.form(body),
            "code=" + mark("code", "abc") + "&grant_type=authorization_code&code_verifier=" + mark("verifier", "v1") +
                "&client_secret=" + mark("secret", "s+1") + "&refresh_token=" + mark("token", "r"));
}

TEST_F(Redaction, CoversEveryFieldName) {
  for (const char* name : {"code", "code_verifier", "client_secret", "refresh_token", "access_token", "id_token",
                           "token", "secret", "assertion", "client_assertion", "csrf", "session", "state", "api_key"}) {
    const std::string url = std::string("/cb?x=1&") + name + "=planted-value&y=2";
    const std::string redacted = redactor_.text(url);
    EXPECT_EQ(redacted.find("planted"), std::string::npos) << redacted;
    EXPECT_NE(redacted.find("&y=2"), std::string::npos) << redacted;
    EXPECT_EQ(redactor_.form(std::string(name) + "=planted-value&y=2").find("planted"), std::string::npos) << name;
  }
}

TEST_F(Redaction, CoversEveryMemberNameAtEveryDepthOfQuoting) {
  for (const char* name :
       {"case_handle", "requestState", "access_token", "refresh_token", "id_token", "signature", "api_key",
        "client_secret", "code_verifier", "secret", "token", "session", "csrf", "assertion", "code", "state"}) {
    std::string json = std::string("{\"") + name + "\": \"Planted+Value/9==\",\"next\":\"stays\"}";
    for (int depth = 0; depth < 4; ++depth) {
      const std::string redacted = redactor_.text(json);
      EXPECT_EQ(redacted.find("Planted"), std::string::npos) << redacted;
      EXPECT_NE(redacted.find("stays"), std::string::npos) << redacted;
      std::string outer;
      for (const char c : json) {
        if (c == '"' || c == '\\') outer += '\\';
        outer += c;
      }
      json = "{\"text\":\"" + outer + "\"}";
    }
  }
}

TEST_F(Redaction, EndsAJsonValueAtItsOwnQuote) {
  EXPECT_EQ(redactor_.text(R"({"access_token":"a\"b\\","scope":"desk:read"})"),
            R"({"access_token":")" + mark("token", R"(a\"b\\)") + R"(","scope":"desk:read"})");
  EXPECT_EQ(redactor_.text(R"({"t":"{\"access_token\":\"a\\\"b\\\\\",\"scope\":\"desk:read\"}"})"),
            R"({"t":"{\"access_token\":\")" + mark("token", R"(a\\\"b\\\\)") + R"(\",\"scope\":\"desk:read\"}"})");
}

TEST_F(Redaction, SeesThroughNeedlessEscapes) {
  EXPECT_EQ(redactor_.text(R"({"\u0061ccess_token":"\u0065yJplanted"})").find("planted"), std::string::npos);
  EXPECT_EQ(redactor_.text(R"({"url":"http://h/?a=b\u0026code=planted"})").find("planted"), std::string::npos);
  const std::string kept = R"({"text":"line\u000aquote\u0022"})";
  EXPECT_EQ(redactor_.text(kept), kept);
}

TEST_F(Redaction, KnowsShapesWhereverTheyStand) {
  const std::pair<const char*, const char*> shapes[] = {
      {"apt_eyJhbW91bnQiOjQ4MDB9.c2lnbmF0dXJlMTIz", "token"},
      {"ac_0123456789abcdefABCDEF", "code"},
      {"svc_0123456789abcdefABCDEF", "credential"},
      {"hs_0123456789abcdefABCDEF", "secret"},
      {"rs_0123456789abcdefABCDEF-_", "state"},
      {"ch_0123456789abcdefABCDEF", "handle"},
      {"sk-ant-api03-0123456789abcdefABCDEF", "key"},
      {"sk-proj-0123456789abcdefABCDEFGHIJKLMNOP", "key"},
      {"AKIAIOSFODNN7EXAMPLE", "key"},
      {"ghp_0123456789abcdefABCDEFGHIJKLMNOPQRST", "key"},
      {"glpat-0123456789abcdefABCD", "key"},
      {"xoxb-0123456789abc", "key"},
      {"AIza0123456789abcdefABCDEFGHIJKLMNOPQRS", "key"},
      {"sk_live_0123456789abcdefABCDEFGH", "key"},
      {"npm_0123456789abcdefABCDEFGHIJKLMNOPQRST", "key"},
  };
  for (const auto& [secret, kind] : shapes) {
    for (const char* around : {"\"%\"", "says % now", "%", "(%)", "[%]\n", "x=%;"}) {
      std::string text = around;
      text.replace(text.find('%'), 1, secret);
      std::string expected = around;
      expected.replace(expected.find('%'), 1, mark(kind, secret));
      EXPECT_EQ(redactor_.text(text), expected);
    }
  }
}

TEST_F(Redaction, KnowsCredentialsBehindTheirScheme) {
  EXPECT_EQ(redactor_.text("sent Bearer abcDEF123456789012 to it"),
            "sent Bearer " + mark("token", "abcDEF123456789012") + " to it");
  EXPECT_EQ(redactor_.text("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            "Basic " + mark("credential", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="));
  const std::string prose = "bearer authentication-required and basic understanding-of-things";
  EXPECT_EQ(redactor_.text(prose), prose);
}

TEST_F(Redaction, TakesPrivateKeysWhole) {
  const std::string pem = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIPlanted\nAAAA/+9=\n-----END EC PRIVATE KEY-----";
  EXPECT_EQ(redactor_.text("a " + pem + " b"), "a " + mark("key", pem) + " b");
  EXPECT_EQ(
      redactor_.text(R"({"k":"-----BEGIN PRIVATE KEY-----\nMHcPlanted\n-----END PRIVATE KEY-----"})").find("Planted"),
      std::string::npos);
  EXPECT_EQ(redactor_.text(R"({"kty":"EC","d":"PlantedPlantedPlantedPlantedPlantedPlanted1"})").find("Planted"),
            std::string::npos);
}

TEST_F(Redaction, WalksAllPartsOfAUrl) {
  for (const char* url : {"http://127.0.0.1:1/cb#access_token=SECRET1&id_token=SECRET2&state=SECRET3",
                          "http://127.0.0.1:1/cb?x=1#code=SECRET4", "http://user:SECRET5@127.0.0.1:1/",
                          "http://127.0.0.1:1/a?redirect_uri=http%3A%2F%2F127.0.0.1%2Fcb%3Fcode%3DSECRET6",
                          "http://127.0.0.1:1/a?%63ode=SECRET7", "http://127.0.0.1:1/a?CODE=SECRET8;code=SECRET9",
                          "http://127.0.0.1:1/a?u=http%253A%252F%252Fh%252F%253Fcode%253DSECRET10%2526x%253D1"}) {
    const std::string redacted = redactor_.text(url);
    EXPECT_EQ(redacted.find("SECRET"), std::string::npos) << redacted;
    EXPECT_EQ(redacted.substr(0, 7), "http://");
  }
}

TEST_F(Redaction, TakesBothOfTwoHeadersOnOneLine) {
  for (const char* line :
       {"x-api-key: SECRET-1|x-api-key: SECRET-2", "Authorization: Bearer SECRET-3|Authorization: Bearer SECRET-4",
        "https://api.example.test/v1?state=abc;api_key=SECRET-5", "authorization=Bearer%20SECRET-6",
        R"({"authorization":"Bearer SECRET-7","Authorization ":"bearer SECRET-8"})",
        "proxy-authorization: Basic SECRET9=", "cookie: desk_session=SECRET10"}) {
    const std::string redacted = redactor_.text(line);
    EXPECT_EQ(redacted.find("SECRET"), std::string::npos) << redacted;
  }
}

TEST_F(Redaction, LeavesWhatPeopleReadLogsFor) {
  for (
      const char* line :
      {R"(server->host 403 /mcp | www-authenticate: Bearer error="insufficient_scope", scope="desk:read refunds:write")",
       R"(Bearer resource_metadata="http://127.0.0.1:8931/.well-known/oauth-protected-resource/mcp")",
       "final: Refunded 4800 cents (RF-0001, approval APR-0001).",
       "2026-10-20T13:51:15Z T-1042 ORD-5521 POL-DOA-30 PP-77001 code=-32022 status=403 port=8931",
       "see http://127.0.0.1:8940/approvals/APR-0001", "--- 1970-01-01 00:00:00.000000001 +0000 @@ -14,7 +14,6 @@",
       R"({"error":{"code":-32602,"message":"token is expired"}})",
       R"({"properties":{"case_handle":{"type":"string"}}})", R"({"state":"pending","code":"invalid_request"})",
       "case_handle: the handle of the open case", R"({"access_token":null})",
       R"(Bearer resourceMetadata2026="http://127.0.0.1:8931/x")", "GET /mcp?x=1 HTTP/1.1",
       "request_state and ac_power_supply_unit_two"}) {
    EXPECT_EQ(redactor_.text(line), line);
  }
}

TEST_F(Redaction, DoesNotRedactTwice) {
  const std::string once = redactor_.text(R"({"authorization":"Bearer abcDEF1234567890","u":"/cb?code=Zz9"})");
  EXPECT_EQ(redactor_.text(once), once);
}

TEST_F(Redaction, KnowsThePiecesOfASecretThatItSaw) {
  const std::string jwt(kJwt);
  const std::string first = jwt.substr(0, 60);
  const std::string second = jwt.substr(60);
  const std::string stream = "data: \"echo " + first + "\ndata: " + second + " end\"\n\n";
  // Before the whole was seen nothing can tell the second half from other text.
  EXPECT_NE(redactor_.text_in_pieces(stream).find(second), std::string::npos);
  EXPECT_EQ(redactor_.header("authorization", "Bearer " + jwt).substr(0, 7), "<token:");
  const std::string redacted = redactor_.text_in_pieces(stream);
  for (std::size_t at = 0; at + 8 <= jwt.size(); ++at) EXPECT_EQ(redacted.find(jwt.substr(at, 8)), std::string::npos);
  EXPECT_NE(redacted.find("\ndata: <part:"), std::string::npos) << redacted;
  EXPECT_NE(redacted.find("> end\"\n\n"), std::string::npos) << redacted;
  const std::string other = "data: nothing of it, though base64url like YW5vdGhl is short\n\n";
  EXPECT_EQ(redactor_.text_in_pieces(other), other);
}

TEST_F(Redaction, TakesBytesThatAreNoText) {
  std::string bytes = "\xff\xfe access_token=Planted1 \x80";
  bytes += '\0';
  bytes += kHandle;
  const std::string redacted = redactor_.text(bytes);
  EXPECT_EQ(redacted.find("Planted"), std::string::npos);
  EXPECT_EQ(redacted.find("Qm9vb"), std::string::npos);
  EXPECT_EQ(redacted.substr(0, 2), "\xff\xfe");
}

TEST_F(Redaction, ReadsALongTextInOnePass) {
  // With a backtracking matcher these would not come to an end.
  std::string text(2'000'000, 'a');
  text += "!";
  for (int i = 0; i < 1000; ++i) text += "\"code\"          ";
  for (int i = 0; i < 1000; ++i) text += "://a:";
  text += kHandle;
  EXPECT_EQ(redactor_.text(text).find("Qm9vb"), std::string::npos);
}

}  // namespace
}  // namespace postern
