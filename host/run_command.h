// postern run and postern resume: everything around one ticket: the run's folder, its wire log, the local stack, the
// model, the report.
#pragma once

#include <optional>

#include "host/cli.h"
#include "host/config.h"
#include "host/exit_code.h"
#include "host/interrupt.h"
#include "host/terminal.h"

namespace postern::host {

struct CommandContext {
  const Config& config;
  const Environment& environment;
  Terminal& terminal;
  const Interrupt& interrupt;
};
// Says "Stopped." and gives its exit code when a signal ended a command; nothing when it did not.
[[nodiscard]] std::optional<ExitCode> stopped_by_signal(const CommandContext& context);

[[nodiscard]] ExitCode run_command(const CommandContext& context, const RunCommand& command);
[[nodiscard]] ExitCode resume_command(const CommandContext& context, const ResumeCommand& command);

}  // namespace postern::host
