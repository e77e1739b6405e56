#include "wire/base/random_source.h"

#include <openssl/rand.h>

#include "wire/base/bytes.h"
#include "wire/base/check.h"

namespace postern {

void SystemRandomSource::fill(std::span<unsigned char> bytes) {
  POSTERN_CHECK(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1);
}

std::string random_bytes(RandomSource& random, std::size_t bytes) {
  std::string out(bytes, '\0');
  random.fill({reinterpret_cast<unsigned char*>(out.data()), out.size()});
  return out;
}

std::string random_token(RandomSource& random, std::string_view prefix, std::size_t bytes) {
  return std::string(prefix) + base64url(random_bytes(random, bytes));
}

}  // namespace postern
