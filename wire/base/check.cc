#include "wire/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace postern {

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "postern: a bug: %s:%d: %s does not hold\n", file, line, condition);
  std::fflush(stderr);
  std::abort();
}

}  // namespace postern
