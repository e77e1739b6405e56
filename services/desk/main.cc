// postern-desk: the MCP server of a support desk, over HTTP or stdio.
#include <CLI/CLI.hpp>
#include <string>

#include "services/desk/commands.h"
#include "services/desk/launch_document.h"
#include "wire/base/log.h"

int main(int count, char** arguments) {
  using namespace postern::desk;
  postern::start_log("postern-desk", postern::LogLevel::kInfo);
  CLI::App app("The MCP server of a support desk: tools to read one case at a time, and to ask for a refund.");
  app.set_version_flag("--version", "postern-desk " + std::string(kServerVersion));
  app.require_subcommand(1);

  std::string config;
  CLI::App* serve_command = app.add_subcommand("serve", "Serve over HTTP until told to stop");
  serve_command
      ->add_option("--config", config, "Launch document: a file of mode 0600, or - for the first line of stdin")
      ->required();
  serve_command->footer(std::string(kLaunchHelp));

  // An empty folder is a variable of somebody's script that was not set.
  const CLI::Validator named([](const std::string& text) { return text.empty() ? "no folder is named" : ""; }, "");

  std::string person;
  std::string ticket;
  std::string folder;
  CLI::App* stdio_command =
      app.add_subcommand("stdio", "Serve the read tools over stdio, for one person and one ticket");
  stdio_command->add_option("--as", person, "Who is calling: rowan")->required();
  stdio_command->add_option("--ticket", ticket, "The one ticket that may be opened: T-1042")->required();
  stdio_command
      ->add_option("--db", folder, "Folder of the databases; without it a synthetic world that is gone at the end")
      ->check(named);
  bool older_era = false;
  stdio_command->add_flag("--older-era", older_era, "Answer clients that open with initialize (2025-11-25) too");

  CLI::App* seed_command = app.add_subcommand("seed", "Fill empty databases with the synthetic world");
  seed_command->add_option("--db", folder, "Folder of the databases")->required()->check(named);

  CLI::App* show_command = app.add_subcommand("show", "Print the facts of one ticket");
  show_command->add_option("ticket", ticket, "The ticket: T-1042")->required();
  show_command->add_option("--db", folder, "Folder of the databases")->required()->check(named);

  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    constexpr int kExitUsage = 2;
    return app.exit(error) == 0 ? 0 : kExitUsage;  // prints help, version or what is wrong
  }
  if (*serve_command) return serve(config);
  if (*stdio_command) return serve_stdio(person, ticket, folder, older_era);
  if (*seed_command) return seed(folder);
  return show(ticket, folder);
}
