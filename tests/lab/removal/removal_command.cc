#include "tests/lab/removal/removal_command.h"

namespace postern::lab {

int removal_command(const RemovalOptions&) {
  return 3;
}

}  // namespace postern::lab
