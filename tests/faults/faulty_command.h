// postern-lab faulty NAME: the desk over stdio with a fault in its lines, as the child process of a fault's run.
//
// The server is the product's own, composed as postern-desk composes it; the fault stands between its descriptors and
// those of this process.
#pragma once

#include <string>

namespace postern::faults {

// Until the end of stdin. The exit code: 0, 2 for a name that is no fault of lines or a desk that cannot be made.
[[nodiscard]] int faulty_command(const std::string& name, const std::string& person, const std::string& ticket);

}  // namespace postern::faults
