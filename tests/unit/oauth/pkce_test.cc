#include "wire/oauth/pkce.h"

#include <gtest/gtest.h>

#include "tests/support/seeded_random.h"

namespace postern {
namespace {

// RFC 7636 appendix B.
constexpr const char* kRfcVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
constexpr const char* kRfcChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

TEST(CodeChallenge, IsThatOfTheExampleInTheRfc) {
  EXPECT_EQ(CodeChallenge::s256(CodeVerifier::take(kRfcVerifier)).text(), kRfcChallenge);
}

TEST(CodeChallenge, MatchesItsVerifierOnly) {
  const auto challenge = CodeChallenge::of_text(kRfcChallenge);
  ASSERT_TRUE(challenge.has_value());
  EXPECT_TRUE(challenge->matches(kRfcVerifier));
  EXPECT_FALSE(challenge->matches("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXj"));
  EXPECT_FALSE(challenge->matches(""));
  EXPECT_FALSE(challenge->matches(kRfcChallenge));  // "plain" is not offered
}

TEST(CodeChallenge, RefusesVerifiersOfAnotherForm) {
  // 42 characters are too few, whatever they hash to; 43 are enough.
  for (const std::size_t size : {std::size_t{42}, std::size_t{43}, std::size_t{128}, std::size_t{129}}) {
    const std::string verifier(size, 'a');
    const CodeChallenge challenge = CodeChallenge::s256(CodeVerifier::take(std::string(verifier)));
    EXPECT_EQ(challenge.matches(verifier), size >= 43 && size <= 128) << size;
  }
}

TEST(CodeChallenge, RefusesTextsThatAreNoSha256) {
  EXPECT_TRUE(CodeChallenge::of_text(kRfcChallenge).has_value());
  EXPECT_FALSE(CodeChallenge::of_text("").has_value());
  EXPECT_FALSE(CodeChallenge::of_text("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c").has_value());
  EXPECT_FALSE(CodeChallenge::of_text("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM=").has_value());
  EXPECT_FALSE(CodeChallenge::of_text("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM").has_value());
}

TEST(CodeVerifier, HasFreshRandomnessEachTime) {
  test::SeededRandom random;
  EXPECT_NE(CodeChallenge::s256(make_code_verifier(random)).text(),
            CodeChallenge::s256(make_code_verifier(random)).text());
}

}  // namespace
}  // namespace postern
