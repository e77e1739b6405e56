// postern-lab part desk|payments|approvals|issuer: the product's server of that name with some of its controls taken
// away, as a child process of a laboratory's stack. Its launch document is the product's with one member more:
// "controls_removed": ["desk.token.audience"].
//
// The issuer has a second one more, "sign_secret": then POST /lab/sign {"header","claims"} with that secret as bearer
// answers {"token"}: a token that this issuer would never give, under the key that it gives all others with. Members of
// the header replace alg, typ and kid; what is null is left out.
#pragma once

#include <string>

namespace postern::lab {

// Serves until it is told to stop, as the product's programs do. The exit code: 0, or 2 for a document that cannot be
// served.
[[nodiscard]] int part_command(const std::string& part, const std::string& config);

}  // namespace postern::lab
