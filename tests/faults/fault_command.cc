#include "tests/faults/fault_command.h"

namespace postern::lab {

int list_faults(bool) {
  return 3;
}
int fault_command(const FaultOptions&) {
  return 3;
}

}  // namespace postern::lab
