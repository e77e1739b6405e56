// trust-client-accept: the desk pays when the client says "accept", without a decision of approvals.
#include "tests/faults/decorators.h"

namespace postern::faults {

std::vector<std::string> trust_client_accept() {
  return {"desk.decision"};
}

}  // namespace postern::faults
