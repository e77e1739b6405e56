#include "tests/lab/grade/recorded_evidence.h"

#include <algorithm>
#include <filesystem>

#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

// Done, a tool refused by its pin, the refund refused: such a run went on to its last read.
bool goes_to_its_end(std::optional<int> exit) {
  return exit == 0 || exit == 5 || exit == 6;
}

}  // namespace

// The numbers of its entries are those of its lines; what the recording itself says is missing counts.
Result<Evidence> evidence_of(const RecordedRun& run) {
  Evidence evidence;
  evidence.name = run.name;
  evidence.scenario = run.scenario;
  evidence.ticket = run.ticket;
  evidence.nonce = "{nonce}";
  evidence.exit = run.exit();
  for (const std::string& limit : run.limits) {
    if (limit.find("wire log") != limit.npos) return BadEvidence{visible_line(run.name, 200), limit};
  }
  evidence.entries = run.entries();
  const auto lines = static_cast<std::size_t>(std::count_if(
      run.lines.begin(), run.lines.end(), [](const Json& line) { return line.string_at("kind") != "failed"; }));
  if (evidence.entries.size() != lines) return BadEvidence{visible_line(run.name, 200), "lines cannot be read"};
  int number = 0;
  for (const RecordedLeg& leg : run.legs) {
    evidence.legs.push_back(leg.first + 1);
    const std::string suffix = run.legs.size() == 1 ? "" : " " + std::to_string(++number);
    if (leg.out) evidence.texts.emplace("stdout" + suffix, *leg.out);
    if (leg.err) evidence.texts.emplace("stderr" + suffix, *leg.err);
  }
  std::string lines_text;
  for (const Json& line : run.lines) lines_text += line.dump() + "\n";
  evidence.texts.emplace(run.name + ".run", std::move(lines_text));
  if (evidence.entries.empty()) return BadEvidence{visible_line(run.name, 200), "nothing is in it"};
  if (goes_to_its_end(evidence.exit)) POSTERN_TRY_VOID(check_ended(evidence));
  return evidence;
}

Result<Evidence> read_any_evidence(const std::string& path) {
  if (std::filesystem::path(path).extension() != ".run") return read_evidence(path);
  POSTERN_TRY(const RecordedRun run, read_recorded_run(path));
  return evidence_of(run);
}

}  // namespace postern::lab
