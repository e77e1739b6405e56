// postern login, logout and whoami: signing in ahead of a run, signing out, and who is signed in where.
//
// Sign-ins are kept between runs (host/kept_credentials.h), for the desk and for each server of mcpServers that speaks
// HTTP. The profile local has a person of its own and keeps nothing.
#pragma once

#include "host/cli.h"
#include "host/command.h"
#include "host/exit_code.h"

namespace postern::host {

// Asks the server for its tools, as a run does, and signs in when it wants that. 0 also when a sign-in that is kept is
// still good; 4 when it did not come about.
[[nodiscard]] ExitCode login_command(const CommandContext& context, const LoginCommand& command);
// Revokes the tokens at their issuer and forgets them here in any case. 1 when one was not revoked although its issuer
// revokes such tokens.
[[nodiscard]] ExitCode logout_command(const CommandContext& context, const LogoutCommand& command);
// Asks nobody: what is kept. 1 when nobody is signed in anywhere.
[[nodiscard]] ExitCode whoami_command(const CommandContext& context);

}  // namespace postern::host
