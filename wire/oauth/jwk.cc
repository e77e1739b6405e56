#include "wire/oauth/jwk.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <algorithm>
#include <array>

#include "wire/base/bytes.h"
#include "wire/base/check.h"
#include "wire/base/visible_text.h"

namespace postern {
namespace {

constexpr std::size_t kCoordinateBytes = 32;
constexpr std::size_t kKeysMax = 64;

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// OpenSSL wants the DER form; building it here keeps the 64 raw bytes the only form outside.
std::string der_of(std::string_view signature) {
  const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> pair(ECDSA_SIG_new(), ECDSA_SIG_free);
  BIGNUM* r = BN_bin2bn(raw(signature), kCoordinateBytes, nullptr);
  BIGNUM* s = BN_bin2bn(raw(signature.substr(kCoordinateBytes)), kCoordinateBytes, nullptr);
  POSTERN_CHECK(pair != nullptr && r != nullptr && s != nullptr && ECDSA_SIG_set0(pair.get(), r, s) == 1);
  const int size = i2d_ECDSA_SIG(pair.get(), nullptr);
  POSTERN_CHECK(size > 0);
  std::string der(static_cast<std::size_t>(size), '\0');
  auto* out = reinterpret_cast<unsigned char*>(der.data());
  POSTERN_CHECK(i2d_ECDSA_SIG(pair.get(), &out) == size);
  return der;
}

// A key that may verify signatures of ours: RFC 7517 sections 4.2 to 4.4.
bool usable(const Json& jwk) {
  if (jwk.string_at("kty") != "EC" || jwk.string_at("crv") != "P-256" || jwk.string_at("kid").empty()) return false;
  if (jwk.has("use") && jwk.string_at("use") != "sig") return false;
  if (jwk.has("alg") && jwk.string_at("alg") != "ES256") return false;
  const Json* operations = jwk.find("key_ops");
  if (operations == nullptr) return true;
  const auto& list = operations->elements();
  return std::any_of(list.begin(), list.end(), [](const Json& entry) { return entry == Json("verify"); });
}

std::optional<P256PublicKey> key_of(const Json& jwk) {
  const auto x = base64url_decode(jwk.string_at("x"));
  const auto y = base64url_decode(jwk.string_at("y"));
  if (!x || !y) return std::nullopt;
  return P256PublicKey::of_coordinates(*x, *y);
}

}  // namespace

std::optional<P256PublicKey> P256PublicKey::of_coordinates(std::string_view x, std::string_view y) {
  if (x.size() != kCoordinateBytes || y.size() != kCoordinateBytes) return std::nullopt;
  const std::string point = std::string(1, '\x04').append(x).append(y);
  const std::unique_ptr<OSSL_PARAM_BLD, decltype(&OSSL_PARAM_BLD_free)> builder(OSSL_PARAM_BLD_new(),
                                                                                OSSL_PARAM_BLD_free);
  POSTERN_CHECK(builder != nullptr);
  POSTERN_CHECK(OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1);
  POSTERN_CHECK(OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) ==
                1);
  const std::unique_ptr<OSSL_PARAM, decltype(&OSSL_PARAM_free)> parameters(OSSL_PARAM_BLD_to_param(builder.get()),
                                                                           OSSL_PARAM_free);
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context(
      EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr), EVP_PKEY_CTX_free);
  POSTERN_CHECK(parameters != nullptr && context != nullptr && EVP_PKEY_fromdata_init(context.get()) == 1);
  EVP_PKEY* made = nullptr;
  // Fails for coordinates that are not a point of the curve.
  if (EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1) return std::nullopt;
  std::shared_ptr<void> key(made, [](void* p) { EVP_PKEY_free(static_cast<EVP_PKEY*>(p)); });
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> checker(
      EVP_PKEY_CTX_new_from_pkey(nullptr, made, nullptr), EVP_PKEY_CTX_free);
  if (checker == nullptr || EVP_PKEY_public_check(checker.get()) != 1) return std::nullopt;
  return P256PublicKey(std::move(key), point);
}

bool P256PublicKey::verify_es256(std::string_view message, std::string_view signature) const {
  if (signature.size() != 2 * kCoordinateBytes) return false;
  const std::string der = der_of(signature);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  POSTERN_CHECK(context != nullptr);
  POSTERN_CHECK(
      EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, static_cast<EVP_PKEY*>(key_.get())) == 1);
  return EVP_DigestVerify(context.get(), raw(der), der.size(), raw(message), message.size()) == 1;
}

Result<JwkSet> JwkSet::of_json(const Json& json) {
  const Json* list = json.find("keys");
  if (list == nullptr || !list->is_array()) return MalformedJwkSet{"it has no array \"keys\""};
  if (list->size() > kKeysMax) return MalformedJwkSet{"it has more than " + std::to_string(kKeysMax) + " keys"};
  JwkSet set;
  for (const Json& jwk : list->elements()) {
    if (!usable(jwk)) continue;
    auto key = key_of(jwk);
    if (!key) continue;
    const std::string kid(jwk.string_at("kid"));
    if (set.find(kid) != nullptr) return MalformedJwkSet{"two keys have the kid " + visible_line(kid, 60)};
    set.keys_.push_back(Jwk{kid, *std::move(key)});
  }
  return set;
}

const Jwk* JwkSet::find(std::string_view kid) const {
  const auto found = std::find_if(keys_.begin(), keys_.end(), [&](const Jwk& jwk) { return jwk.kid == kid; });
  return found == keys_.end() ? nullptr : &*found;
}

std::string MalformedJwkSet::text() const {
  return "The issuer's key set cannot be used: " + reason + ". No token of that issuer can be checked.";
}

}  // namespace postern
