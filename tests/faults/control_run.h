// A control that is not there: the attack that gets through without it, and the ordinary run that goes on as ever.
//
// No ladder shows such a fault, because security holes are requests that succeed. So what is played is the attack, in a
// world without the control, beside the run of the host, which must not look any different.
#pragma once

#include <string>

#include "tests/faults/fault_list.h"
#include "tests/faults/fault_run.h"
#include "wire/base/result.h"

namespace postern::faults {

// The cases of the fault's attack that got through, one a line, with what they came to: "A01-other-audience: through".
// REQUIRES a fault that is a missing control. lab.no_such_control, and those of a world.
[[nodiscard]] Result<std::string> attack_without(const Fault& fault, const std::string& folder);

}  // namespace postern::faults
