#include "wire/base/random_source.h"

#include <sys/random.h>

#include <cerrno>

#include "wire/base/bytes.h"
#include "wire/base/check.h"

namespace postern {

void SystemRandomSource::fill(std::span<unsigned char> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::getrandom(bytes.data(), bytes.size(), 0);
    POSTERN_CHECK(got > 0 || errno == EINTR);
    if (got > 0) bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
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
