// unbound-state: a request state is taken from anybody and for any call, as long as nobody has changed it.
#include "tests/faults/decorators.h"

namespace postern::faults {

std::vector<std::string> unbound_state() {
  return {"desk.state.principal", "desk.state.method", "desk.state.name", "desk.state.arguments"};
}

}  // namespace postern::faults
