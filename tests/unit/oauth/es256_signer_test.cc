#include "wire/signing/es256_signer.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "wire/base/bytes.h"
#include "wire/oauth/jwk.h"

namespace postern {
namespace {

using test::refused;
using test::succeeded;

// The key of RFC 7515 appendix A.3.1, which everybody knows.
constexpr const char* kX = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU";
constexpr const char* kY = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0";
constexpr const char* kPkcs8 = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff
H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp
7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt
-----END PRIVATE KEY-----
)";
constexpr const char* kSec1 = R"(-----BEGIN EC PRIVATE KEY-----
MHcCAQEEII6bEJ5xkJi/mASH3x9dd+nLKWBuvtImO19XwhPfhPSyoAoGCCqGSM49
AwEHoUQDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEXH8UTNG72b
focs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
-----END EC PRIVATE KEY-----
)";
constexpr const char* kEncrypted = R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAimScK0ijwTqAICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEL67p/QAicEA7eRgXP2Oxg0EgZAh
yY+AJ6C9O4c8MHRMnXKYoHq1eop7ipRGvhyuA9H/gUqXl89jGrz/WwUvIP5Vk3/E
nfCL92fHwP8/3hdLY0Zlrz9cSpK4eoJ9mws2+yqJnlhyu6SsErxmaO45yhVI2Tlj
WvW6TjTnkshJVIBydisXGgUJ0E1oii94tqc6rOQwNdaOZ3mTLGYDaZqbZ83P20o=
-----END ENCRYPTED PRIVATE KEY-----
)";
constexpr const char* kEncryptedSec1 = R"(-----BEGIN EC PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-128-CBC,2FBFD000DEBE598891372DA12043556A

2KtQ8clLpy9UruirTTrLSKtRRdBwPIIpszgfck0ljy0vB4/KqHSXyuXjb3QZrGou
FlXoFloU2fF6P/rXpuj8NG0yBpRB9C18ZM3fux3XnuXeAPQgLKd1yk5ECH5Pd1jH
oUjk/A0ZmzodyKNUy+x64a+zq+7k7YxSs4mQC4vbRsg=
-----END EC PRIVATE KEY-----
)";
constexpr const char* kP384 = R"(-----BEGIN PRIVATE KEY-----
MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDC6Qv9757RyPHpC/2PD
l+815F0yxz1O814DuKGorxV/cqFLT7Tog4438SPTU+ebLrGhZANiAARHzVUqoRLw
zPsZNwibYFyn5FJ1yfm8lcj1BQha1Zaed0MKAds/rrty5h9CQfbXbak+gzSRKgTE
fSMhX7drLhw1n//iH9RWw6i83LEDcuii1DSvwERfjZH7p5gifDCjYKo=
-----END PRIVATE KEY-----
)";
constexpr const char* kEd25519 = R"(-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIPu0HYmqAStYRbnh/c5wuESM+oOjZDTZmVcMFOiDSYbO
-----END PRIVATE KEY-----
)";
constexpr const char* kHalves = R"(-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAFoAoGCCqGSM49AwEHoUQDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
-----END EC PRIVATE KEY-----
)";

Result<Es256Signer> signer_of(std::string pem) {
  return Es256Signer::of_pem(PrivateKeyPem::take(std::move(pem)));
}

TEST(Es256Signer, IsReadFromPem) {
  for (const std::string pem : {kPkcs8, kSec1}) {
    const auto signer = signer_of(pem);
    ASSERT_TRUE(succeeded(signer));
    EXPECT_EQ(signer->public_point(), Json::object({{"kty", "EC"}, {"crv", "P-256"}, {"x", kX}, {"y", kY}}));
    const auto key = P256PublicKey::of_coordinates(*base64url_decode(kX), *base64url_decode(kY));
    ASSERT_TRUE(key);
    EXPECT_TRUE(key->verify_es256("a message", signer->sign("a message")));
    EXPECT_FALSE(key->verify_es256("another", signer->sign("a message")));
  }
  EXPECT_TRUE(succeeded(signer_of("Key of the desk\n" + std::string(kPkcs8) + "\nwith words around it\n")));
}

TEST(Es256Signer, SaysWhyAKeyCannotBeUsed) {
  const auto reason = [](const std::string& pem) {
    const auto signer = signer_of(pem);
    EXPECT_TRUE(refused(signer, "key.unusable"));
    return signer ? std::string() : signer.error().as<UnusableKey>()->reason;
  };
  EXPECT_EQ(reason(""), "the file holds no private key in PEM");
  EXPECT_EQ(reason("-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----\n"),
            "the file holds no private key in PEM");
  EXPECT_EQ(reason(std::string(kPkcs8) + kSec1), "the file holds more than one private key");
  EXPECT_EQ(reason(kEncrypted), "it is encrypted with a passphrase");
  EXPECT_EQ(reason(kEncryptedSec1), "its text is damaged or encrypted");
  EXPECT_EQ(reason(std::string(kPkcs8).replace(60, 4, "!!!!")), "its text is damaged or encrypted");
  EXPECT_EQ(reason(kP384), "it is on another curve than P-256");
  EXPECT_EQ(reason(kEd25519), "it is of another kind than an elliptic curve's");
  EXPECT_EQ(reason(kHalves), "its private and its public half do not belong together");
  EXPECT_EQ(reason(std::string(70'000, ' ') + kPkcs8), "the file is too long for one key");
}

TEST(Es256Signer, NoFailureRepeatsTheKey) {
  const auto signer = signer_of(std::string(kPkcs8).replace(60, 4, "!!!!"));
  ASSERT_FALSE(signer);
  EXPECT_EQ(signer.error().text().find("MIGHAgEA"), std::string::npos);
}

}  // namespace
}  // namespace postern
