#include "host/run_command.h"

#include <filesystem>
#include <memory>
#include <utility>

#include "bridge/failures.h"
#include "bridge/label.h"
#include "bridge/oauth/failures.h"
#include "host/connection.h"
#include "host/local_stack.h"
#include "host/model_choice.h"
#include "host/pins_command.h"
#include "host/report.h"
#include "host/run_store.h"
#include "host/run_ticket.h"
#include "host/servers.h"
#include "host/waiting_rounds.h"
#include "pins/pin_file.h"
#include "pins/pin_gate.h"
#include "wire/base/file.h"
#include "wire/base/visible_text.h"
#include "wire/tap/wire_log.h"

namespace postern::host {
namespace {

constexpr std::size_t kTranscriptBytesMax = 64 * 1024 * 1024;

// What a later try may not meet again: the model's trouble, or the network's.
bool may_go_better(const Failure& failure) {
  return failure.id().substr(0, 6) == "model." || failure.id().substr(0, 10) == "transport.";
}

// A run that goes on may do so in another folder.
std::string absolute_path(const std::string& path) {
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

// One run, from its folder to its exit code. Members are destroyed from the last to the first: the stack outlives what
// talks to it.
class TicketRun {
 public:
  TicketRun(const CommandContext& context, RunStore store, RunLock lock, RunRecord record, ModelChoice choice,
            pins::PinFile pin_file)
      : context_(context),
        lock_(std::move(lock)),
        terminal_(context.terminal),
        store_(std::move(store)),
        record_(std::move(record)),
        choice_(std::move(choice)),
        gate_(std::move(pin_file)) {}

  ExitCode go(std::optional<Transcript> transcript);

 private:
  Status prepare();
  Status prepare_others();
  RunSummary work(std::optional<Transcript> transcript);
  ExitCode report(RunSummary summary);
  void print_pending(const RunSummary& summary);
  void print_stopped(const RunSummary& summary);
  [[nodiscard]] Env env() { return Env{context_.outside.clock, context_.outside.random, *wire_log_}; }
  // Until when a supervisor can decide: of this world's own rule. Nothing when no request was made.
  [[nodiscard]] std::optional<WallTime> request_until();

  const CommandContext& context_;
  RunLock lock_;
  Terminal& terminal_;
  RunStore store_;
  RunRecord record_;
  ModelChoice choice_;
  pins::PinGate gate_;
  std::unique_ptr<WireLog> wire_log_;
  std::unique_ptr<LocalStack> stack_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<WaitingRounds> waiting_;
  std::unique_ptr<TerminalConsent> consent_;
  std::unique_ptr<OtherServers> others_;
  ModelClient model_;
};

// The servers beside the desk, as far as that goes without starting anything.
Status TicketRun::prepare_others() {
  const Config& config = context_.config;
  if (config.servers.empty()) return {};
  consent_ = std::make_unique<TerminalConsent>(terminal_, config.wait);
  OtherServersParts parts{env(),
                          terminal_,
                          config.servers,
                          gate_.file(),
                          [this](const ServerConfig& server) -> Result<std::unique_ptr<ServerLink>> {
                            // Signing in may take a person minutes, and the case is open: that is done beforehand.
                            POSTERN_TRY(std::unique_ptr<Connection> link,
                                        Connection::to_server(context_, env(), server, false));
                            return std::unique_ptr<ServerLink>(std::move(link));
                          },
                          *consent_,
                          record_.label_nonce,
                          {}};
  parts.call_options.wait_max = config.wait;
  POSTERN_TRY(others_, OtherServers::prepare(std::move(parts)));
  return {};
}

Status TicketRun::prepare() {
  const std::string folder = store_.folder(record_.run);
  POSTERN_TRY(wire_log_, WireLog::open(folder + "/wire.jsonl", context_.outside.clock, context_.outside.random));
  const Config& config = context_.config;
  POSTERN_TRY_VOID(prepare_others());
  const bool own_desk = config.local() && config.server.empty();
  if (own_desk || !choice_.script.empty()) {
    LocalStackOptions options;
    options.model_only = !own_desk;
    options.program_folder = own_program_folder();
    options.world_folder = folder + "/world";
    options.model_script = choice_.script;
    POSTERN_TRY(stack_, context_.outside.start_stack(env(), options, context_.interrupt.token()));
    Json stack = stack_->record();
    // The age of a request survives a stop of the run.
    if (const auto until = record_.stack.integer_at("request_until")) stack.set("request_until", *until);
    record_.stack = std::move(stack);
  }
  POSTERN_TRY(connection_, Connection::make(context_, env(), own_desk ? stack_.get() : nullptr));
  record_.server = connection_->session().where();
  POSTERN_TRY(model_, make_model(context_, env(), choice_, stack_.get()));
  return store_.save(record_);
}

RunSummary TicketRun::work(std::optional<Transcript> transcript) {
  bridge::CallOptions call;
  waiting_ = std::make_unique<WaitingRounds>(store_.folder(record_.run));
  call.rounds = waiting_.get();
  call.wait_max = context_.config.wait;
  bridge::ElicitationOptions elicitation;
  elicitation.server = {"support-desk", connection_->endpoint().authority()};
  elicitation.links.hosts.push_back(connection_->endpoint().host);
  elicitation.links_for_somebody_else = true;
  RunTicketParts parts{env(),
                       terminal_,
                       connection_->desk(),
                       connection_->session(),
                       connection_->authorizer(),
                       gate_,
                       *model_.model,
                       store_,
                       record_,
                       std::move(call),
                       std::move(elicitation),
                       context_.config.max_steps,
                       choice_.line,
                       pins_flags(context_.config),
                       others_.get()};
  RunTicket ticket(std::move(parts), context_.interrupt.token());
  return ticket.run(std::move(transcript));
}

std::optional<WallTime> TicketRun::request_until() {
  if (const auto until = record_.stack.integer_at("request_until")) return wall_time_of_unix_seconds(*until);
  const auto shown = connection_->desk().link_shown_at();
  if (!shown || !stack_) return std::nullopt;
  return *shown + LocalStack::kRequestLifetime;
}

void TicketRun::print_pending(const RunSummary& summary) {
  const auto until = request_until();
  const bool open = until && *until > context_.outside.clock.now();
  if (open) {
    const auto left = std::chrono::duration_cast<Seconds>(*until - context_.outside.clock.now());
    terminal_.err("The request stays open for " + minutes_seconds(left) + " more. A supervisor can still decide.");
  } else if (!until) {
    terminal_.err("The request stays open for as long as the desk keeps it. A supervisor can still decide.");
  }
  terminal_.err("  Go on later:  postern resume " + summary.run);
  if (open) terminal_.err("  Take it back: \"Withdraw request\" on the page of the link");
  if (stack_ && open) {
    record_.stack.set("request_until", unix_seconds(*until));
    stack_->stay_until(*until);
    terminal_.err("The local stack stays up until " + rfc3339(*until).substr(11, 8) +
                  " UTC. Stop it: postern runs rm " + summary.run);
  }
}

void TicketRun::print_stopped(const RunSummary& summary) {
  const auto* stopped = summary.failure ? summary.failure->as<bridge::StoppedByPerson>() : nullptr;
  if (stopped != nullptr && stopped->call_in_flight) {
    terminal_.err("Stopped. A refund call was in flight. Look before you try again: postern resume " + summary.run);
  } else if (summary.facts.known && !summary.facts.refunds.empty()) {
    terminal_.err("Stopped. What was refunded before stands in the line that begins with desk:.");
  } else if (summary.case_opened && !summary.facts.known) {
    terminal_.err("Stopped. Whether money moved is not known. Look before you try again: postern resume " +
                  summary.run);
  } else {
    terminal_.err("Stopped. Nothing was refunded.");
  }
  if (summary.approval && summary.approval->status != "approved") {
    print_pending(summary);
  } else if (stopped == nullptr || !stopped->call_in_flight) {
    terminal_.err("  Go on later:  postern resume " + summary.run);
  }
}

ExitCode TicketRun::report(RunSummary summary) {
  if (context_.interrupt.stopped() && summary.failure && summary.failure->as<bridge::StoppedByPerson>() != nullptr) {
    summary.interrupted = context_.interrupt.code();
  }
  const Report report = report_of(summary);
  // A permission that was refused to a call of the model was said where it happened.
  const bool was_said =
      summary.case_opened && summary.failure && summary.failure->as<bridge::ScopeRefused>() != nullptr;
  if (summary.failure && !was_said)
    print_failure(terminal_, *summary.failure, context_.config, record_.server, summary.case_opened);
  terminal_.detail("wire", summary.wire_path);
  if (const Status log = wire_log_->status(); !log)
    terminal_.err("The wire log is not complete: " + log.error().text());
  if (!waiting_->status()) {
    terminal_.err("Where the request stands could not be kept: " + waiting_->status().error().text());
    terminal_.err("A run that goes on makes a new request.");
  }
  if (terminal_.options().json) {
    terminal_.out(report.json.dump());
  } else {
    if (!report.final_line.empty()) terminal_.out(report.final_line);
    if (!report.desk_line.empty()) terminal_.out(report.desk_line);
  }
  for (const std::string& note : report.notes) terminal_.err(note);
  if (summary.interrupted) {
    print_stopped(summary);
  } else if (summary.pending) {
    print_pending(summary);
  } else if (summary.failure && summary.case_opened && summary.facts.known && may_go_better(*summary.failure)) {
    terminal_.err("  Go on later:  postern resume " + summary.run);
  }
  const bool finished = !summary.pending && !summary.interrupted && !summary.failure && report.outcome != "unknown";
  record_.model_done = summary.final_text.has_value();
  record_.state = summary.pending ? "pending" : summary.interrupted ? "interrupted" : finished ? "finished" : "failed";
  record_.outcome = report.outcome;
  record_.exit = static_cast<int>(report.exit);
  record_.person = context_.config.person;
  if (finished) waiting_->forget_all();
  if (finished && stack_) stack_->forget_keys();
  if (const Status saved = store_.save(record_); !saved) terminal_.err(saved.error().text());
  return report.exit;
}

ExitCode TicketRun::go(std::optional<Transcript> transcript) {
  terminal_.progress("run", record_.run);
  if (const Status prepared = prepare(); !prepared) {
    record_.state = context_.interrupt.stopped() ? "interrupted" : "failed";
    ExitCode code = exit_code_of(prepared.error());
    if (context_.interrupt.stopped()) {
      code = context_.interrupt.code();
      terminal_.err(transcript ? "Stopped. Nothing more was refunded." : "Stopped. Nothing was refunded.");
      terminal_.err("  Go on later:  postern resume " + record_.run);
    } else {
      print_failure(terminal_, prepared.error(), context_.config, context_.config.server, false);
    }
    if (terminal_.options().json) {
      RunSummary summary;
      summary.run = record_.run;
      summary.ticket = record_.ticket;
      summary.wire_path = store_.folder(record_.run) + "/wire.jsonl";
      summary.failure = prepared.error();
      if (context_.interrupt.stopped()) summary.interrupted = code;
      terminal_.out(report_of(summary).json.dump());
    }
    record_.exit = static_cast<int>(code);
    [[maybe_unused]] const Status saved = store_.save(record_);
    return code;
  }
  return report(work(std::move(transcript)));
}

}  // namespace

ExitCode run_command(const CommandContext& context, const RunCommand& command) {
  Terminal& terminal = context.terminal;
  if (!is_ticket_id(command.ticket)) {
    return refuse(
        terminal,
        UsageWrong{"\"" + visible_line(command.ticket, 60) +
                   "\" is not a ticket id. One looks like T-1042: T- and four to twelve digits.\nNo case was opened."});
  }
  Result<ModelChoice> choice = choose_model(context.config, context.environment);
  if (!choice) return refuse(terminal, choice.error());
  Result<pins::PinFile> pin_file = load_pins(context.config);
  if (!pin_file) return refuse(terminal, pin_file.error());
  RunStore store(context.config.state_home);
  Result<RunRecord> record = store.create(context.outside.clock, context.outside.random, command.ticket);
  if (!record) {
    terminal.err(record.error().text());
    terminal.err("A run needs a folder that it can write. No case was opened and nothing was sent to the model.");
    return ExitCode::kUsage;
  }
  record->profile = context.config.profile;
  record->person = context.config.person;
  record->model = choice->recorded();
  if (choice->script.empty()) record->model_url = context.config.model_url;
  if (!context.config.pins.empty()) record->pins = absolute_path(context.config.pins);
  record->label_nonce = bridge::Labeler::new_nonce(context.outside.random);
  Result<RunLock> lock = store.lock(record->run);
  if (!lock) return refuse(terminal, lock.error());
  context.interrupt.name_run(record->run);
  TicketRun run(context, std::move(store), *std::move(lock), *std::move(record), *std::move(choice),
                *std::move(pin_file));
  return run.go(std::nullopt);
}

ExitCode resume_command(const CommandContext& context, const ResumeCommand& command) {
  Terminal& terminal = context.terminal;
  RunStore store(context.config.state_home);
  Result<RunRecord> record = store.load(command.run);
  if (!record) return refuse(terminal, record.error());
  if (record->state == "finished") {
    return refuse(terminal, UsageWrong{"The run " + record->run + " is finished (" + record->outcome +
                                       "). There is nothing to go on with."});
  }
  Result<RunLock> lock = store.lock(record->run);
  if (!lock) return refuse(terminal, lock.error());
  context.interrupt.name_run(record->run);
  Config config = context.config;
  if (config.pins.empty()) config.pins = record->pins;
  config.profile = record->profile;
  config.person = record->person;
  constexpr std::string_view kScript = "script:";
  if (record->model.substr(0, kScript.size()) == kScript) {
    config.model_api = record->model;
    config.model.clear();
  } else {
    config.model = record->model;
    config.model_url = record->model_url;  // the conversation goes on where it began, whatever the environment says now
  }
  const Json* ports = record->stack.find("processes");
  const bool own_desk = ports != nullptr && ports->has("desk");
  if (!own_desk && !(config.local() && record->server.empty())) config.server = record->server;
  const CommandContext resumed{config, context.environment, terminal, context.interrupt, context.outside};
  Result<ModelChoice> choice = choose_model(config, context.environment);
  if (!choice) return refuse(terminal, choice.error());
  Result<pins::PinFile> pin_file = load_pins(config);
  if (!pin_file) return refuse(terminal, pin_file.error());
  std::optional<Transcript> transcript;
  if (const std::string path = store.folder(record->run) + "/transcript.bin"; file_exists(path)) {
    const Result<std::string> text = read_file(path, kTranscriptBytesMax);
    if (!text) return refuse(terminal, text.error());
    Result<Transcript> read = Transcript::read(*text);
    if (!read) return refuse(terminal, read.error());
    transcript = *std::move(read);
  }
  stop_recorded_stack(record->stack);
  record->state = "running";
  if (!config.pins.empty()) record->pins = absolute_path(config.pins);
  TicketRun run(resumed, std::move(store), *std::move(lock), *std::move(record), *std::move(choice),
                *std::move(pin_file));
  return run.go(std::move(transcript));
}

}  // namespace postern::host
