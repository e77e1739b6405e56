#include "host/runs_command.h"

#include "host/ladder/ladder.h"
#include "host/ladder/wire_run.h"
#include "host/local_stack.h"
#include "host/run_store.h"
#include "wire/tap/wire_log.h"

namespace postern::host {
namespace {

std::string line_of(const RunRecord& record) {
  std::string line = record.run + "   " + record.ticket;
  line.resize(std::max<std::size_t>(line.size() + 1, 40), ' ');
  line += record.state;
  if (!record.outcome.empty() && record.outcome != record.state) line += ", " + record.outcome;
  if (record.exit) line += ", exit " + std::to_string(*record.exit);
  return line;
}

ExitCode list_runs(const CommandContext& context, const RunStore& store, int limit) {
  const std::vector<RunRecord> records = store.list(static_cast<std::size_t>(limit));
  if (context.terminal.options().json) {
    Json runs = Json::array();
    for (const RunRecord& record : records) runs.push(json_of(record));
    context.terminal.out(Json::object({{"schema", "postern.runs/1"}, {"runs", std::move(runs)}}).dump());
    return ExitCode::kDone;
  }
  for (const RunRecord& record : records) context.terminal.out(line_of(record));
  if (records.empty()) context.terminal.err("There is no run yet. Start one: postern run TICKET");
  return ExitCode::kDone;
}

// postern.wire/1: the rungs, or one of them, with the numbers of their entries.
Json ladder_json(const WireRun& run, const Ladder& ladder, std::optional<Layer> only) {
  Json rungs = Json::array();
  for (const LadderRung& rung : ladder.rungs) {
    if (only && rung.layer != *only) continue;
    Json entries = Json::array();
    for (const std::uint64_t seq : rung.entries) entries.push(static_cast<std::int64_t>(seq));
    Json to_read = Json::array();
    for (const LadderFinding& finding : rung.to_read) {
      to_read.push(Json::object(
          {{"seq", static_cast<std::int64_t>(finding.seq)}, {"text", finding.text}, {"detail", finding.detail}}));
    }
    Json json = Json::object({{"layer", layer_name(rung.layer)}, {"entries", std::move(entries)}});
    rungs.push(json.set("to_read", std::move(to_read)));
  }
  Json challenges = Json::array();
  for (const AnsweredChallenge& one : ladder.challenges)
    challenges.push(Json::object({{"seq", static_cast<std::int64_t>(one.seq)}, {"what", one.what}}));
  Json json = Json::object({{"schema", "postern.wire/1"}, {"run", run.run}, {"ticket", run.ticket}});
  json.set("entries", static_cast<std::int64_t>(run.entries.size())).set("working_ms", ladder.working_ms);
  json.set("waiting_ms", ladder.waiting_ms).set("rungs", std::move(rungs)).set("challenges", std::move(challenges));
  json.set("unreadable", static_cast<std::int64_t>(run.unreadable));
  return json.set("missing", static_cast<std::int64_t>(run.missing));
}

}  // namespace

ExitCode runs_command(const CommandContext& context, const RunsCommand& command) {
  const RunStore store(context.config.state_home);
  if (command.verb == RunsCommand::Verb::kList) return list_runs(context, store, command.limit);
  for (const std::string& run : command.runs) {
    const Result<RunRecord> record = store.load(run);
    if (!record) return refuse(context.terminal, record.error());
    if (command.verb == RunsCommand::Verb::kShow) {
      context.terminal.out(json_of(*record).pretty());
      continue;
    }
    const Result<RunLock> lock = store.lock(run);
    if (!lock) return refuse(context.terminal, lock.error());
    stop_recorded_stack(record->stack);
    if (const Status removed = store.remove(run); !removed) return refuse(context.terminal, removed.error());
    context.terminal.progress("removed", run);
  }
  return ExitCode::kDone;
}

ExitCode wire_command(const CommandContext& context, const WireCommand& command) {
  Terminal& terminal = context.terminal;
  const RunStore store(context.config.state_home);
  const Result<RunRecord> record = store.named_or_newest(command.run);
  if (!record) return refuse(terminal, record.error());
  const Result<WireRun> run = read_wire_log(store.folder(record->run) + "/wire.jsonl", record->run, record->ticket);
  if (!run) return refuse(terminal, run.error());
  if (command.verb == WireCommand::Verb::kShow && command.seq > 0) {
    ShowEntry what;
    what.raw = command.raw;
    if (command.headers || command.body) {
      what.headers = command.headers;
      what.body = command.body;
    }
    const Result<std::string> entry = show_entry(*run, static_cast<std::uint64_t>(command.seq), what);
    if (!entry) return refuse(terminal, entry.error());
    if (terminal.options().json) {
      Json json = Json::object({{"schema", "postern.wire.entry/1"}, {"run", run->run}, {"seq", command.seq}});
      terminal.out(json.set("text", *entry).dump());
    } else {
      terminal.out_text(*entry);
    }
    return ExitCode::kDone;
  }
  LadderText text;
  const std::optional<Layer> layer = ladder_layer(command.layer);
  if (!command.layer.empty() && !layer) {
    return refuse(terminal,
                  UsageWrong{"There is no layer of that name. They are: bytes, envelope, http, schema, model."});
  }
  if (terminal.options().json) {
    const Ladder ladder = climb(*run);
    terminal.out(ladder_json(*run, ladder, layer).dump());
    return ladder.something_to_read() ? ExitCode::kNo : ExitCode::kDone;
  }
  if (layer) {
    text = ladder_listing(*run, *layer, command.all);
  } else if (command.verb == WireCommand::Verb::kShow || command.all) {
    text = ladder_listing(*run, true);
  } else {
    text = ladder_summary(*run);
  }
  terminal.out_text(text.text);
  return text.something_to_read ? ExitCode::kNo : ExitCode::kDone;
}

}  // namespace postern::host
