// Known answers of the standards, and that each bit counts.
#include <gtest/gtest.h>

#include "tests/support/seeded_random.h"
#include "wire/base/aead.h"
#include "wire/base/bytes.h"
#include "wire/base/digest.h"
#include "wire/base/secret.h"
#include "wire/signing/ed25519_signer.h"

namespace postern {
namespace {

TEST(Digest, GivesTheKnownAnswers) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");  // FIPS 180-4
  EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");  // RFC 4231 case 2
}

TEST(Hkdf, GivesTheKnownAnswer) {  // RFC 5869 A.1
  const std::string key = *hex_decode("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b");
  EXPECT_EQ(hex(hkdf_sha256(key, *hex_decode("000102030405060708090a0b0c"), *hex_decode("f0f1f2f3f4f5f6f7f8f9"), 42)),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865");
}

TEST(Aead, OpensWhatItSealedAndNothingElse) {
  test::SeededRandom random;
  const std::string key(32, 'k');
  const std::string sealed = aead_seal(key, "APR-0001", "issue_refund", random);
  EXPECT_EQ(aead_open(key, sealed, "issue_refund"), "APR-0001");
  EXPECT_EQ(aead_open(key, sealed, "get_order"), std::nullopt);
  EXPECT_EQ(aead_open(std::string(32, 'x'), sealed, "issue_refund"), std::nullopt);
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_EQ(aead_open(key, changed, "issue_refund"), std::nullopt) << i;
  }
  EXPECT_EQ(aead_open(key, "short", "issue_refund"), std::nullopt);
  EXPECT_NE(sealed, aead_seal(key, "APR-0001", "issue_refund", random));
}

TEST(Ed25519, GivesTheKnownAnswer) {  // RFC 8032 section 7.1, test 2
  const auto signer = Ed25519Signer::of_seed(
      SigningSeed::take(*hex_decode("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")));
  ASSERT_TRUE(signer);
  EXPECT_EQ(hex(signer->public_key().bytes()), "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
  const std::string signature = signer->sign("\x72");
  EXPECT_EQ(hex(signature),
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4"
            "302aeeb00d291612bb0c00");
  EXPECT_TRUE(signer->public_key().verify("\x72", signature));
  EXPECT_FALSE(signer->public_key().verify("\x73", signature));
  EXPECT_FALSE(signer->public_key().verify("\x72", signature.substr(1)));
  EXPECT_FALSE(Ed25519Signer::of_seed(SigningSeed::take("short")).has_value());
}

class SecretOpener;
struct TestTag {
  using RevealedBy = Reveals<SecretOpener>;
};
class SecretOpener {
 public:
  static std::string open(const Secret<TestTag>& secret) { return std::string(secret.reveal(Passkey<SecretOpener>{})); }
};

TEST(Secret, IsEmptyAfterItMovedOnAndWipesItsSource) {
  std::string source = "a secret that is too long for the small buffer of a string";
  auto first = Secret<TestTag>::take(std::move(source));
  EXPECT_TRUE(source.empty());  // NOLINT(bugprone-use-after-move): wiped is what is tested
  auto second = std::move(first);
  EXPECT_TRUE(first.empty());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(SecretOpener::open(second), "a secret that is too long for the small buffer of a string");
  EXPECT_TRUE(second.equal(second.duplicate()));
  EXPECT_FALSE(second.equal(first));
}

TEST(RandomToken, HasItsPrefixAndItsBits) {
  test::SeededRandom random;
  const std::string handle = random_token(random, "ch_", 16);
  EXPECT_EQ(handle.size(), 3U + 22U);
  EXPECT_EQ(base64url_decode(handle.substr(3))->size(), 16U);
  EXPECT_NE(handle, random_token(random, "ch_", 16));
}

}  // namespace
}  // namespace postern
