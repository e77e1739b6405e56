// Makes recordings: of a scenario of the laboratory, or of a finished run of the product.
#pragma once

#include <string>
#include <string_view>

#include "tests/lab/replay/recorded_run.h"
#include "tests/lab/replay/scenarios.h"

namespace postern::lab {

// Runs the scenario in a world of its own in `folder`, which exists and is empty. The same scenario gives the same
// recording each time, byte for byte. Failures: those of the world.
[[nodiscard]] Result<RecordedRun> record_scenario(const Scenario& scenario, const std::string& folder);

// Of the folder of a finished run. What a run's folder does not keep (what was printed, and a clock that moves only
// when the host waits) is taken from playing it once in `folder`; a run that cannot be played to its end says in
// `limits` why. Failures: own.file_failed, lab.bad_run_file.
[[nodiscard]] Result<RecordedRun> record_run(const std::string& run_folder, const std::string& folder);

}  // namespace postern::lab
