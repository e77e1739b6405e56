#include "host/command.h"

namespace postern::host {

ExitCode refuse(Terminal& terminal, const Failure& failure) {
  terminal.err(failure.text());
  return exit_code_of(failure);
}

std::optional<ExitCode> stopped_by_signal(const CommandContext& context) {
  if (!context.interrupt.token().stop_requested()) return std::nullopt;
  context.terminal.err("Stopped.");
  return context.interrupt.code();
}

}  // namespace postern::host
