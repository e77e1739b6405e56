// postern run and postern resume: everything around one ticket: the run's folder, its wire log, the local stack, the
// model, the report.
#pragma once

#include "host/cli.h"
#include "host/command.h"

namespace postern::host {

[[nodiscard]] ExitCode run_command(const CommandContext& context, const RunCommand& command);
[[nodiscard]] ExitCode resume_command(const CommandContext& context, const ResumeCommand& command);

}  // namespace postern::host
