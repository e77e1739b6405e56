// How long the secrets of a recording were, and how they began. No log says it; but it says of each message how many
// bytes crossed and all of its text but the secrets, and of each secret its kind.
#pragma once

#include <vector>

#include "tests/lab/replay/recorded_run.h"

namespace postern::lab {

// Of the secrets that a peer brought in, by their numbers. What does not follow from any message is as long as its kind
// usually is.
[[nodiscard]] std::vector<SecretShape> shapes_of(const RecordedRun& run);

}  // namespace postern::lab
