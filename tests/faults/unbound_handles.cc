// unbound-handles: a case handle alone is the key to its case; who presents it is not looked at.
#include "tests/faults/decorators.h"

namespace postern::faults {

std::vector<std::string> unbound_handles() {
  return {"desk.handle.principal"};
}

}  // namespace postern::faults
