// decode-only-token: the desk takes a token apart, compares its claims, and never verifies who signed it.
#include "tests/faults/decorators.h"

namespace postern::faults {

std::vector<std::string> decode_only_token() {
  return {"desk.token.signature"};
}

}  // namespace postern::faults
