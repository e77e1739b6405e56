// token-passthrough: the desk sends the token of its caller on to approvals and payments, beside its own credential.
#include "tests/faults/decorators.h"

namespace postern::faults {

std::vector<std::string> token_passthrough() {
  return {"desk.own_credential"};
}

}  // namespace postern::faults
