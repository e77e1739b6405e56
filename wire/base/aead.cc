#include "wire/base/aead.h"

#include <openssl/evp.h>

#include <memory>

#include "wire/base/check.h"

namespace postern {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;

using Context = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* raw(std::string& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

}  // namespace

std::string aead_seal(std::string_view key, std::string_view text, std::string_view associated_data,
                      RandomSource& random) {
  POSTERN_CHECK(key.size() == kKeyBytes);
  const std::string nonce = random_bytes(random, kNonceBytes);
  std::string ciphertext(text.size(), '\0');
  std::string tag(kTagBytes, '\0');
  const Context context(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  int size = 0;
  POSTERN_CHECK(EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, raw(key), raw(nonce)) == 1);
  POSTERN_CHECK(EVP_EncryptUpdate(context.get(), nullptr, &size, raw(associated_data),
                                  static_cast<int>(associated_data.size())) == 1);
  POSTERN_CHECK(EVP_EncryptUpdate(context.get(), raw(ciphertext), &size, raw(text), static_cast<int>(text.size())) ==
                1);
  unsigned char no_more[kTagBytes];
  POSTERN_CHECK(EVP_EncryptFinal_ex(context.get(), no_more, &size) == 1);
  POSTERN_CHECK(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, tag.data()) == 1);
  return nonce + ciphertext + tag;
}

std::optional<std::string> aead_open(std::string_view key, std::string_view sealed, std::string_view associated_data) {
  POSTERN_CHECK(key.size() == kKeyBytes);
  if (sealed.size() < kNonceBytes + kTagBytes) return std::nullopt;
  const std::string_view nonce = sealed.substr(0, kNonceBytes);
  const std::string_view ciphertext = sealed.substr(kNonceBytes, sealed.size() - kNonceBytes - kTagBytes);
  std::string tag(sealed.substr(sealed.size() - kTagBytes));
  std::string text(ciphertext.size(), '\0');
  const Context context(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  int size = 0;
  POSTERN_CHECK(EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, raw(key), raw(nonce)) == 1);
  POSTERN_CHECK(EVP_DecryptUpdate(context.get(), nullptr, &size, raw(associated_data),
                                  static_cast<int>(associated_data.size())) == 1);
  POSTERN_CHECK(
      EVP_DecryptUpdate(context.get(), raw(text), &size, raw(ciphertext), static_cast<int>(ciphertext.size())) == 1);
  POSTERN_CHECK(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()) == 1);
  unsigned char no_more[kTagBytes];
  if (EVP_DecryptFinal_ex(context.get(), no_more, &size) != 1) return std::nullopt;
  return text;
}

}  // namespace postern
