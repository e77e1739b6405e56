// replayable-token: payments forgets which approvals it has paid on.
#include "tests/faults/decorators.h"

namespace postern::faults {

std::vector<std::string> replayable_token() {
  return {"payments.approval.spent"};
}

}  // namespace postern::faults
