// postern pins: what was reviewed, whether a server still serves it, what changed, and what it serves now.
#pragma once

#include "host/cli.h"
#include "host/command.h"
#include "pins/pin_file.h"

namespace postern::host {

[[nodiscard]] ExitCode pins_command(const CommandContext& context, const PinsCommand& command);

// What a suggested `postern pins ...` needs to be about the same server and the same pins: " --profile shop", or empty.
[[nodiscard]] std::string pins_flags(const Config& config);
// The embedded pins, or those of the configured file. pin.bad_file.
[[nodiscard]] Result<pins::PinFile> load_pins(const Config& config);

}  // namespace postern::host
