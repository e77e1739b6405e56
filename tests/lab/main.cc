// postern-lab: what tests, graders and demonstrations need beside the product. Nothing of it is in a product program.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/faults/fault_command.h"
#include "tests/faults/faulty_command.h"
#include "tests/lab/attack/attack_command.h"
#include "tests/lab/grade/grade_command.h"
#include "tests/lab/injection/injection_command.h"
#include "tests/lab/interop_command.h"
#include "tests/lab/model_command.h"
#include "tests/lab/removal/part_command.h"
#include "tests/lab/removal/removal_command.h"
#include "tests/lab/replay/replay_command.h"
#include "tests/lab/run_command.h"
#include "wire/base/log.h"

namespace {

using namespace postern::lab;  // NOLINT(google-build-using-namespace): of this file alone

constexpr int kWrongUse = 2;

std::string beside_this_program(const std::string& name) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? name : (self.parent_path() / name).string();
}

// Each verb adds its options and, when it is the one that was named, leaves here what to do.
using Action = std::function<int()>;

// Of the verb that was named: where its reports go.
const ReportOptions* reports_of_verb = nullptr;

void add_reports(CLI::App* verb, ReportOptions& reports) {
  verb->preparse_callback([&reports](std::size_t) { reports_of_verb = &reports; });
  verb->add_option("--report-tap", reports.tap, "Write TAP 14 to this file; - is stdout");
  verb->add_option("--report-junit", reports.junit, "Write JUnit XML to this file");
  verb->add_option("--report-json", reports.json, "Write JSON (postern.grade/1) to this file");
  verb->add_option("--report-html", reports.html, "Write one HTML file");
}

void add_model(CLI::App& app, Action& action) {
  static std::string config;
  CLI::App* model = app.add_subcommand("model", "The scripted model double");
  model->require_subcommand(1);
  CLI::App* serve = model->add_subcommand("serve", "Serve the Messages API on 127.0.0.1");
  serve->add_option("--config", config, "Launch document: a file, or - for the first line of stdin")->required();
  serve->callback([&action] { action = [] { return serve_model(config); }; });
}

void add_interop(CLI::App& app, Action& action) {
  static InteropOptions options;
  options.program_folder = beside_this_program("");
  CLI::App* verb = app.add_subcommand(
      "interop", "Who can talk with whom: hosts and servers of others and ours, run one against another");
  verb->add_option("--client", options.client, "One host only");
  verb->add_option("--server", options.server, "One server only");
  verb->add_flag("--claude", options.claude, "Claude Code too, when it is installed");
  verb->add_flag("--json", options.json, "As JSON");
  verb->callback([&action] { action = [] { return run_interop(options); }; });
}

void add_attack(CLI::App& app, Action& action) {
  static AttackOptions options;
  static RemovalOptions removal;
  static bool mutate = false;
  options.program_folder = beside_this_program("");
  CLI::App* verb = app.add_subcommand("attack", "Twelve attacks on the boundary: each must be blocked");
  verb->add_option("attacks", options.attacks, "A1 to A12, or all; all when none is named");
  CLI::Option* server = verb->add_option("--server", options.server, "Somebody else's MCP endpoint, over its URL");
  CLI::Option* profile = verb->add_option("--profile", options.profile, "File that says how to get tokens there");
  server->needs(profile);
  profile->needs(server);
  verb->add_option("--starter", options.starter,
                   "An exercise (lab1, lab2, lab3), or a file: which controls are removed")
      ->excludes(server);
  CLI::Option* mutant =
      verb->add_flag("--mutate", mutate, "Take our own controls away, one at a time, and see what gets through");
  mutant->excludes(server);
  verb->add_flag("--pairs", removal.pairs, "And each two of them")->needs(mutant);
  verb->add_flag("--update", removal.update, "Rewrite the expected matrix and print the difference")->needs(mutant);
  add_reports(verb, options.reports);
  verb->callback([&action] {
    action = [] {
      removal.reports = options.reports;
      return mutate ? removal_command(removal) : attack_command(options);
    };
  });
}

void add_fault(CLI::App& app, Action& action) {
  static FaultOptions options;
  static bool json = false;
  CLI::App* verb = app.add_subcommand("fault", "Runs of the host against peers with one fault");
  verb->require_subcommand(1);
  CLI::App* list = verb->add_subcommand("list", "Every fault, its seam and where it is first seen");
  list->add_flag("--json", json, "As JSON");
  list->callback([&action] { action = [] { return list_faults(json); }; });
  CLI::App* run = verb->add_subcommand("run", "Run with these faults, one run each");
  run->add_option("names", options.names, "Names of faults; all when none is named");
  run->add_option("--ticket", options.ticket, "Another ticket than the fault's own");
  run->add_flag("--update", options.update, "Rewrite the golden texts that differ, and print the difference");
  add_reports(run, options.reports);
  run->callback([&action] { action = [] { return fault_command(options); }; });
}

// The child process of the faults of lines.
void add_faulty(CLI::App& app, Action& action) {
  static std::string fault;
  static std::string person = "rowan";
  static std::string ticket = "T-1042";
  CLI::App* verb = app.add_subcommand("faulty", "The desk over stdio with a fault in its lines")->group("");
  verb->add_option("fault", fault, "A fault of lines, such as stdout-noise")->required();
  verb->add_option("--as", person, "Who the caller is");
  verb->add_option("--ticket", ticket, "The one ticket of this server");
  verb->callback([&action] { action = [] { return postern::faults::faulty_command(fault, person, ticket); }; });
}

void add_replay(CLI::App& app, Action& action) {
  static ReplayOptions options;
  CLI::App* verb = app.add_subcommand("replay", "Run the host against recorded peers, byte for byte");
  verb->add_option("fixtures", options.fixtures, "Fixtures, or folders of them");
  verb->add_option("--jobs", options.jobs, "So many at a time")->check(CLI::Range(1, 16));
  verb->add_flag("--update", options.update, "Rewrite what differs, and print the difference");
  add_reports(verb, options.reports);
  verb->callback([&action] { action = [] { return replay_command(options); }; });

  static RecordOptions record;
  CLI::App* recorder = app.add_subcommand("record", "Make a fixture of a run: aliases in place of secrets");
  CLI::Option* run = recorder->add_option("run", record.run, "A run of the product, by its id");
  recorder->add_option("--scenario", record.scenario, "A scenario of the laboratory, such as happy")->excludes(run);
  recorder->add_option("--out", record.out, "The file to write; - is stdout")->required();
  recorder->callback([&action] { action = [] { return record_command(record); }; });
}

void add_grade(CLI::App& app, Action& action) {
  static GradeOptions options;
  options.program_folder = beside_this_program("");
  CLI::App* verb = app.add_subcommand("grade", "Ten invariants over recorded runs, or an exercise of the laboratory");
  verb->add_option("subjects", options.subjects, "Run ids, fixtures, or one of lab1, lab2, lab3");
  CLI::Option* starter = verb->add_option("--starter", options.starter, "The exercise's configuration as it is now");
  verb->add_option("--note", options.note, "Of lab3: check a migration note, and run nothing")->excludes(starter);
  add_reports(verb, options.reports);
  verb->callback([&action] { action = [] { return grade_command(options); }; });
}

void add_inject(CLI::App& app, Action& action) {
  static InjectionOptions options;
  CLI::App* verb = app.add_subcommand("inject", "Planted texts against a model that believes what it reads");
  verb->add_option("kinds", options.kinds, "Kinds of texts; all when none is named");
  add_reports(verb, options.reports);
  verb->callback([&action] { action = [] { return injection_command(options); }; });
}

void add_part(CLI::App& app, Action& action) {
  static std::string part;
  static std::string config;
  CLI::App* verb = app.add_subcommand("part", "A server of a laboratory's stack, with some of its controls taken away");
  verb->add_option("part", part, "desk, payments, approvals or issuer")
      ->required()
      ->check(CLI::IsMember({"desk", "payments", "approvals", "issuer"}));
  verb->add_option("--config", config, "Launch document: a file, or - for the first line of stdin")->required();
  verb->callback([&action] { action = [] { return part_command(part, config); }; });
}

// `behind`: what stands after "--".
void add_run(CLI::App& app, Action& action, const std::vector<std::string>& behind) {
  static RunOptions options;
  static std::string decision;
  options.host_program = beside_this_program("postern");
  CLI::App* verb = app.add_subcommand("run", "Run a ticket with the product host and a scripted supervisor");
  verb->add_option("ticket", options.ticket, "Ticket id, such as T-1042")->required();
  verb->add_option("--supervisor", decision, "approve, deny or none")
      ->required()
      ->check(CLI::IsMember({"approve", "deny", "none"}));
  verb->add_option("--note", options.note, "Note of a denial");
  verb->add_option("--model-script", options.model_script, "honest, injectable, over-limit or long-reason");
  verb->footer("Other options, and what stands after --, go to `postern run` as they are.");
  verb->allow_extras();
  verb->callback([&action, &behind, verb] {
    options.host_arguments = verb->remaining();
    options.host_arguments.insert(options.host_arguments.end(), behind.begin(), behind.end());
    action = [] {
      if (decision == "approve") options.supervisor = Decision::kApprove;
      if (decision == "deny") options.supervisor = Decision::kDeny;
      return run_ticket(options);
    };
  });
}

int run(int argc, char** argv) {
  CLI::App app{
      "Grades the boundary, runs tickets with a scripted supervisor, plays the model from a script, and tries other "
      "programs."};
  app.set_version_flag("--version", "postern-lab 0.1.0");
  app.require_subcommand(1);
  // Split here: the library would look for its own flags behind the marker too.
  char** const end = argv + argc;
  char** const marker = std::find(argv, end, std::string_view("--"));
  const std::vector<std::string> behind(marker == end ? end : marker + 1, end);
  Action action;
  add_attack(app, action);
  add_fault(app, action);
  add_faulty(app, action);
  add_replay(app, action);
  add_grade(app, action);
  add_inject(app, action);
  add_interop(app, action);
  add_run(app, action, behind);
  add_model(app, action);
  add_part(app, action);
  try {
    app.parse(static_cast<int>(marker - argv), argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error, std::cout, std::cerr);
    return code == 0 ? 0 : kWrongUse;
  }
  const int code = action();
  if (code == kWrongUse && reports_of_verb != nullptr) {
    write_refusal(*reports_of_verb, app.get_subcommands().front()->get_name(),
                  "the command was not understood; stderr says why");
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // a report over the limit of a file's size is a failure to write, and said
  postern::start_log("postern-lab", postern::LogLevel::kError);  // a server that is played says more when it starts
  return run(argc, argv);
}
