// What every command is given, and how one ends that could not begin or was stopped.
#pragma once

#include <optional>

#include "host/config.h"
#include "host/exit_code.h"
#include "host/interrupt.h"
#include "host/outside.h"
#include "host/terminal.h"
#include "wire/base/result.h"

namespace postern::host {

// All of it outlives the command.
struct CommandContext {
  const Config& config;
  const Environment& environment;
  Terminal& terminal;
  const Interrupt& interrupt;
  const Outside& outside;
};

// Says why, on stderr, and gives the exit code of it.
[[nodiscard]] ExitCode refuse(Terminal& terminal, const Failure& failure);
// Says "Stopped." and gives its exit code when a signal ended a command; nothing when it did not.
[[nodiscard]] std::optional<ExitCode> stopped_by_signal(const CommandContext& context);

}  // namespace postern::host
