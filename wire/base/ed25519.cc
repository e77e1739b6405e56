#include "wire/base/ed25519.h"

#include <openssl/evp.h>

#include <memory>

namespace postern {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kSignatureBytes = 64;

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

std::optional<Ed25519PublicKey> Ed25519PublicKey::of_bytes(std::string_view raw) {
  if (raw.size() != kKeyBytes) return std::nullopt;
  return Ed25519PublicKey(std::string(raw));
}

bool Ed25519PublicKey::verify(std::string_view message, std::string_view signature) const {
  if (signature.size() != kSignatureBytes) return false;
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, raw(raw_), raw_.size()), EVP_PKEY_free);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  return key != nullptr && context != nullptr &&
         EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), raw(signature), signature.size(), raw(message), message.size()) == 1;
}

}  // namespace postern
