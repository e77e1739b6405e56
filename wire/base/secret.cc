#include "wire/base/secret.h"

#include <openssl/crypto.h>

namespace postern {

void wipe(void* bytes, std::size_t size) noexcept {
  OPENSSL_cleanse(bytes, size);
}

void wipe(std::string& text) noexcept {
  // Up to the capacity: an earlier, longer value may have left bytes behind the end.
  text.resize(text.capacity());
  OPENSSL_cleanse(text.data(), text.size());
  text.clear();
}

bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace postern
