// postern servers and postern call: what servers there are beside the desk, and one reviewed tool of one of them called
// by hand.
#pragma once

#include "host/cli.h"
#include "host/command.h"

namespace postern::host {

// Asks no server: what the configuration and the reviewed pins say.
[[nodiscard]] ExitCode servers_command(const CommandContext& context);
// Typing it is the person's yes. Only a tool that is exactly what was reviewed is called; its result is printed as a
// model would get it. 0; 1 when the tool reports an error.
[[nodiscard]] ExitCode call_command(const CommandContext& context, const CallCommand& command);

}  // namespace postern::host
