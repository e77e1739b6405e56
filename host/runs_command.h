// postern runs and postern wire: what runs there are, and what crossed the wire in one.
#pragma once

#include "host/cli.h"
#include "host/command.h"

namespace postern::host {

[[nodiscard]] ExitCode runs_command(const CommandContext& context, const RunsCommand& command);
[[nodiscard]] ExitCode wire_command(const CommandContext& context, const WireCommand& command);

}  // namespace postern::host
