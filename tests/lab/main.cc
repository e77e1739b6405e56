// postern-lab: what tests and demonstrations need beside the product. Nothing of it is in a product program.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/interop_command.h"
#include "tests/lab/model_command.h"
#include "tests/lab/run_command.h"

namespace {

std::string beside_this_program(const std::string& name) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? name : (self.parent_path() / name).string();
}

}  // namespace

int main(int argc, char** argv) {
  using postern::lab::Decision;
  CLI::App app{"Runs tickets with a scripted supervisor, plays the model from a script, and tries other programs."};
  app.set_version_flag("--version", "postern-lab 0.1.0");
  app.require_subcommand(1);

  std::string config;
  CLI::App* model = app.add_subcommand("model", "The scripted model double");
  model->require_subcommand(1);
  CLI::App* serve = model->add_subcommand("serve", "Serve the Messages API on 127.0.0.1");
  serve->add_option("--config", config, "Launch document: a file, or - for the first line of stdin")->required();

  postern::lab::InteropOptions interop;
  interop.program_folder = beside_this_program("");
  CLI::App* matrix = app.add_subcommand(
      "interop", "Who can talk with whom: hosts and servers of others and ours, run one against another");
  matrix->add_option("--client", interop.client, "One host only");
  matrix->add_option("--server", interop.server, "One server only");
  matrix->add_flag("--claude", interop.claude, "Claude Code too, when it is installed");
  matrix->add_flag("--json", interop.json, "As JSON");

  postern::lab::RunOptions options;
  options.host_program = beside_this_program("postern");
  std::string decision = "approve";
  CLI::App* run = app.add_subcommand("run", "Run a ticket with the product host and a scripted supervisor");
  run->add_option("ticket", options.ticket, "Ticket id, such as T-1042")->required();
  run->add_option("--supervisor", decision, "approve, deny or none")
      ->required()
      ->check(CLI::IsMember({"approve", "deny", "none"}));
  run->add_option("--note", options.note, "Note of a denial");
  run->add_option("--model-script", options.model_script, "honest, injectable, over-limit or long-reason");
  run->footer("Other options, and what stands after --, go to `postern run` as they are.");
  run->allow_extras();

  // Split here: the library would look for its own flags behind the marker too.
  char** const end = argv + argc;
  char** const marker = std::find(argv, end, std::string_view("--"));
  options.host_arguments.assign(marker == end ? end : marker + 1, end);
  try {
    app.parse(static_cast<int>(marker - argv), argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error, std::cout, std::cerr);
    return code == 0 ? 0 : 2;
  }
  const std::vector<std::string> extras = run->remaining();
  options.host_arguments.insert(options.host_arguments.begin(), extras.begin(), extras.end());
  if (*serve) return postern::lab::serve_model(config);
  if (*matrix) return postern::lab::run_interop(interop);
  if (decision == "approve") options.supervisor = Decision::kApprove;
  if (decision == "deny") options.supervisor = Decision::kDeny;
  return postern::lab::run_ticket(options);
}
