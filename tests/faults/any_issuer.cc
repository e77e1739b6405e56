// any-issuer: a token counts whoever says that they issued it. Its keys are the issuer's business, so they are not
// asked for either.
#include "tests/faults/decorators.h"

namespace postern::faults {

std::vector<std::string> any_issuer() {
  return {"desk.token.issuer", "desk.token.signature"};
}

}  // namespace postern::faults
