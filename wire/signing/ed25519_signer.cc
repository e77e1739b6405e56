#include "wire/signing/ed25519_signer.h"

#include <openssl/evp.h>

#include "wire/base/check.h"

namespace postern {
namespace {

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* raw(std::string& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

}  // namespace

std::optional<Ed25519Signer> Ed25519Signer::of_seed(const SigningSeed& seed) {
  const std::string_view bytes = seed.reveal(Passkey<Ed25519Signer>{});
  if (bytes.size() != 32) return std::nullopt;
  std::shared_ptr<void> key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, raw(bytes), bytes.size()),
                            [](void* p) { EVP_PKEY_free(static_cast<EVP_PKEY*>(p)); });
  POSTERN_CHECK(key != nullptr);
  return Ed25519Signer(std::move(key));
}

std::string Ed25519Signer::sign(std::string_view message) const {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  POSTERN_CHECK(context != nullptr);
  POSTERN_CHECK(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, static_cast<EVP_PKEY*>(key_.get())) == 1);
  std::string signature(64, '\0');
  std::size_t size = signature.size();
  POSTERN_CHECK(EVP_DigestSign(context.get(), raw(signature), &size, raw(message), message.size()) == 1 && size == 64);
  return signature;
}

Ed25519PublicKey Ed25519Signer::public_key() const {
  std::string bytes(32, '\0');
  std::size_t size = bytes.size();
  POSTERN_CHECK(EVP_PKEY_get_raw_public_key(static_cast<EVP_PKEY*>(key_.get()), raw(bytes), &size) == 1);
  return *Ed25519PublicKey::of_bytes(bytes);
}

}  // namespace postern
