// amount-blind-token: payments verifies an approval and pays whatever amount comes beside it.
#include "tests/faults/decorators.h"

namespace postern::faults {

std::vector<std::string> amount_blind_token() {
  return {"payments.approval.amount"};
}

}  // namespace postern::faults
