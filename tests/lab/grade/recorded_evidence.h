// A recorded run (fixtures/runs/NAME.run) as evidence.
#pragma once

#include <string>

#include "tests/lab/grade/invariants/evidence.h"
#include "tests/lab/replay/recorded_run.h"

namespace postern::lab {

// lab.bad_evidence when the recording itself has gaps.
[[nodiscard]] Result<Evidence> evidence_of(const RecordedRun& run);
// A .run file, or what read_evidence() takes. Failures: those of both readers.
[[nodiscard]] Result<Evidence> read_any_evidence(const std::string& path);

}  // namespace postern::lab
