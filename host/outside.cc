#include "host/outside.h"

namespace postern::host {

const Outside& system_outside() {
  static const SystemClock clock;
  static SystemRandomSource random;
  static const Outside outside{clock, random, make_http_client, start_local_stack};
  return outside;
}

}  // namespace postern::host
