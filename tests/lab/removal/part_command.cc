#include "tests/lab/removal/part_command.h"

namespace postern::lab {

int part_command(const std::string&, const std::string&) {
  return 3;
}

}  // namespace postern::lab
