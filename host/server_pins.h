// The review of a server beside the desk: what it serves is shown and written down, a person reads it and puts a name
// to it, and only then is it used.
//
// review writes NAME.review.json beside the reviewed pins and trusts nothing; accept takes exactly that file, asks no
// server again, and makes it the reviewed pins. So what is trusted is what was read, whatever the server serves
// meanwhile.
#pragma once

#include <string>
#include <vector>

#include "host/cli.h"
#include "host/command.h"
#include "host/server_config.h"
#include "pins/pin_file.h"
#include "wire/mcp/types.h"

namespace postern::host {

// The server of that name. usage.wrong, with the nearest one named.
[[nodiscard]] Result<const ServerConfig*> server_named(const Config& config, const std::string& name);

[[nodiscard]] ExitCode review_server(const CommandContext& context, const ServerConfig& server,
                                     const std::string& where, const std::vector<mcp::Tool>& tools,
                                     const mcp::DiscoverResult& discovered, bool mirrors_parameters,
                                     const std::string& output);
[[nodiscard]] ExitCode accept_review(const CommandContext& context, const PinsCommand& command);

}  // namespace postern::host
