// postern-lab part desk|payments|approvals: the product's server of that name with some of its controls taken away, as
// a child process of a laboratory's stack. Its launch document is the product's with one member more:
// "controls_removed": ["desk.token.audience"].
#pragma once

#include <string>

namespace postern::lab {

[[nodiscard]] int part_command(const std::string& part, const std::string& config);

}  // namespace postern::lab
