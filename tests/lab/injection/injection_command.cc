#include "tests/lab/injection/injection_command.h"

namespace postern::lab {

int injection_command(const InjectionOptions&) {
  return 3;
}

}  // namespace postern::lab
