// any-issuer: a token counts whoever issued it, if its signature can be verified.
#include "tests/faults/decorators.h"

namespace postern::faults {

std::vector<std::string> any_issuer() {
  return {"desk.token.issuer"};
}

}  // namespace postern::faults
