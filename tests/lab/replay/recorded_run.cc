#include "tests/lab/replay/recorded_run.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "tests/lab/replay/normaliser.h"
#include "tests/lab/replay/run_file.h"
#include "wire/base/clock.h"
#include "wire/base/file.h"
#include "wire/base/uri.h"

namespace postern::lab {
namespace {

constexpr std::size_t kFixtureBytesMax = 64 * 1024 * 1024;
constexpr std::size_t kLogBytesMax = std::size_t{1} << 28;
constexpr std::size_t kRecordBytesMax = 1024 * 1024;

// The ports of the local stack, or the authority of somebody else's desk.
std::map<std::string, std::string, std::less<>> origins_of(const Json& record) {
  std::map<std::string, std::string, std::less<>> origins;
  if (const Json* stack = record.find("stack")) {
    if (const Json* ports = stack->find("ports")) {
      for (const auto& [name, port] : ports->members())
        origins.emplace(name, "127.0.0.1:" + std::to_string(port.integer().value_or(0)));
    }
  }
  if (origins.count("desk") == 0) {
    if (const auto uri = parse_uri(record.string_at("server"))) origins.emplace("desk", uri->authority());
  }
  return origins;
}

void note_limits(RecordedRun& run, const Normaliser& normaliser, std::size_t unreadable) {
  if (normaliser.missing() > 0)
    run.limits.push_back(std::to_string(normaliser.missing()) + " gaps in the numbers of the wire log");
  if (unreadable > 0) run.limits.push_back(std::to_string(unreadable) + " lines of the wire log cannot be read");
  if (normaliser.saw_alias()) run.limits.emplace_back("a text of the run looks like an alias already");
  for (std::size_t i = 0; i < run.lines.size(); ++i) {
    const std::string where = "entry " + std::to_string(i + 1) + ": ";
    if (const auto cut = run.lines[i].integer_at("cut"))
      run.limits.push_back(where + std::to_string(*cut) + " bytes of a body were not kept");
    if (run.lines[i].string_at("channel") == "stdio")
      run.limits.push_back(where + "a server that is a program is not played");
  }
}

Result<RecordedRun> read_run_folder(const std::string& folder) {
  POSTERN_TRY(const std::string record_text, read_file(folder + "/run.json", kRecordBytesMax));
  POSTERN_TRY(const Json record, parse_json(record_text));
  POSTERN_TRY(const std::string log, read_file(folder + "/wire.jsonl", kLogBytesMax));
  RecordedRun run;
  run.name = record.string_at("run");
  run.ticket = record.string_at("ticket");
  run.clock = record.string_at("started_at");
  run.origins = origins_of(record);
  const std::filesystem::path state = std::filesystem::path(folder).lexically_normal();
  Normaliser normaliser;
  normaliser.learn({run.origins, run.name, std::string(record.string_at("label_nonce")), state.string(),
                    unix_ms_of(run.clock).value_or(0)});
  std::size_t unreadable = 0;
  std::string_view rest = log;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.empty()) continue;
    if (auto json = normaliser.line(line)) {
      run.lines.push_back(*std::move(json));
    } else {
      ++unreadable;
    }
  }
  note_limits(run, normaliser, unreadable);
  RecordedLeg leg;
  leg.arguments = {"run", run.ticket};
  const std::string_view model = record.string_at("model");
  if (model.substr(0, 7) == "script:") {
    leg.arguments.insert(leg.arguments.end(), {"--model-api", std::string(model)});
  } else if (!model.empty()) {
    leg.arguments.insert(leg.arguments.end(), {"--model", std::string(model)});
  }
  leg.end = run.lines.size();
  if (const auto exit = record.integer_at("exit")) leg.exit = static_cast<int>(*exit);
  run.legs.push_back(std::move(leg));
  return run;
}

}  // namespace

std::vector<host::WireEntry> RecordedRun::entries() const {
  std::vector<host::WireEntry> entries;
  const std::int64_t began = unix_ms_of(clock).value_or(0);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].string_at("kind") == "failed") continue;
    Json line = lines[i];
    line.set("seq", static_cast<std::int64_t>(i + 1));
    line.set("at", rfc3339(WallTime(Milliseconds(began + lines[i].integer_at("at").value_or(0)))));
    if (auto entry = host::parse_wire_entry(line.dump())) entries.push_back(*std::move(entry));
  }
  return entries;
}

std::optional<int> RecordedRun::exit() const {
  return legs.empty() ? std::nullopt : legs.back().exit;
}

Result<RecordedRun> read_recorded_run(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return read_run_folder(path);
  POSTERN_TRY(const std::string text, read_file(path, kFixtureBytesMax));
  return parse_run_file(path, text);
}

}  // namespace postern::lab
