#include "wire/tap/tap.h"

#include <atomic>

namespace postern {

std::uint64_t next_exchange() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace postern
