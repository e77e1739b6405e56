// postern: the agent host.
#include <unistd.h>

#include <array>
#include <variant>

#include "host/cli.h"
#include "host/config.h"
#include "host/interrupt.h"
#include "host/pins_command.h"
#include "host/run_command.h"
#include "host/runs_command.h"
#include "host/servers_command.h"
#include "host/sign_in_command.h"
#include "host/terminal.h"
#include "wire/base/log.h"

namespace postern::host {
namespace {

std::string working_folder() {
  std::array<char, 4096> path{};
  return getcwd(path.data(), path.size()) == nullptr ? std::string(".") : std::string(path.data());
}

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

ExitCode dispatch(const CommandLine& line, const CommandContext& context) {
  return std::visit(Overloaded{
                        [&](const RunCommand& command) { return run_command(context, command); },
                        [&](const ResumeCommand& command) { return resume_command(context, command); },
                        [&](const RunsCommand& command) { return runs_command(context, command); },
                        [&](const WireCommand& command) { return wire_command(context, command); },
                        [&](const PinsCommand& command) { return pins_command(context, command); },
                        [&](const ServersCommand&) { return servers_command(context); },
                        [&](const CallCommand& command) { return call_command(context, command); },
                        [&](const LoginCommand& command) { return login_command(context, command); },
                        [&](const LogoutCommand& command) { return logout_command(context, command); },
                        [&](const WhoamiCommand&) { return whoami_command(context); },
                        [&](const PrintCommand& command) {
                          context.terminal.out_text(command.text);
                          return ExitCode::kDone;
                        },
                    },
                    line.command);
}

ExitCode run(int argc, char** argv) {
  const Interrupt interrupt;
  Terminal plain(TerminalOptions{});
  const Result<CommandLine> line = parse_command_line(argc, argv);
  if (!line) {
    plain.err(line.error().text());
    return exit_code_of(line.error());
  }
  const Environment environment = read_environment();
  if (std::holds_alternative<PrintCommand>(line->command)) {
    const Config none;
    const ExitCode code = dispatch(*line, CommandContext{none, environment, plain, interrupt, system_outside()});
    if (plain.stdout_complete()) return code;
    plain.err("The result could not be written to stdout.");
    return ExitCode::kNo;
  }
  const Result<Config> config = load_config({line->flags, environment, working_folder()});
  if (!config) {
    plain.err(config.error().text());
    return exit_code_of(config.error());
  }
  Terminal terminal(config->terminal);
  const ExitCode code = dispatch(*line, CommandContext{*config, environment, terminal, interrupt, system_outside()});
  if (terminal.stdout_complete()) return code;
  terminal.err("The result could not be written to stdout.");
  return more_severe(code, ExitCode::kNo);
}

}  // namespace
}  // namespace postern::host

int main(int argc, char** argv) {
  postern::start_log("postern", postern::LogLevel::kError);
  return static_cast<int>(postern::host::run(argc, argv));
}
