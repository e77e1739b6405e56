// replayable-token: payments forgets which approvals it has paid on, and which lines.
#include "tests/faults/decorators.h"

namespace postern::faults {

std::vector<std::string> replayable_token() {
  return {"payments.spent", "payments.line"};
}

}  // namespace postern::faults
