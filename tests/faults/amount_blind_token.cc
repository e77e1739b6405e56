// amount-blind-token: payments verifies an approval and pays whatever amount comes beside it: neither the
// amount nor the digest of the action is compared.
#include "tests/faults/decorators.h"

namespace postern::faults {

std::vector<std::string> amount_blind_token() {
  return {"payments.approval.amount", "payments.approval.digest"};
}

}  // namespace postern::faults
