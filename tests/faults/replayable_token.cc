// replayable-token: payments forgets what it has paid: which approvals, which lines, and how much of the limit is gone.
#include "tests/faults/decorators.h"

namespace postern::faults {

std::vector<std::string> replayable_token() {
  return {"payments.spent", "payments.line", "payments.limit"};
}

}  // namespace postern::faults
