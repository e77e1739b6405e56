#include "tests/lab/grade/invariants/evidence.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "wire/base/file.h"
#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTextBytesMax = std::size_t{256} << 20;

BadEvidence bad(std::string_view name, std::string reason) {
  return BadEvidence{visible_line(name, 200), std::move(reason)};
}

// A host that is started again counts its exchanges from the beginning.
std::vector<std::uint64_t> legs_of(const std::vector<host::WireEntry>& entries) {
  std::vector<std::uint64_t> legs;
  std::uint64_t last = 0;
  for (const host::WireEntry& entry : entries) {
    if (legs.empty()) legs.push_back(entry.seq);
    if (!entry.is_request()) continue;
    if (entry.exchange <= last) legs.push_back(entry.seq);
    last = entry.exchange;
  }
  return legs;
}

Status take_log(Evidence& evidence, const host::WireRun& run) {
  if (run.unreadable > 0) return bad(evidence.name, std::to_string(run.unreadable) + " lines cannot be read");
  if (run.missing > 0) return bad(evidence.name, std::to_string(run.missing) + " entries are missing");
  evidence.entries = run.entries;
  evidence.legs = legs_of(evidence.entries);
  return check_whole(evidence);
}

Status take_lines(Evidence& evidence, std::string_view lines) {
  if (!lines.empty() && lines.back() != '\n') return bad(evidence.name, "its last line is cut off");
  std::istringstream in{std::string(lines)};
  return take_log(evidence, host::read_wire_lines(in, evidence.name, evidence.ticket));
}

// Files that may hold secrets by their nature: they are for the program that goes on with the run, mode 0600.
bool is_keeping_place(const fs::path& file) {
  return file.filename() == "keys.json" || file.filename() == "waiting.json" || file.filename() == "lock";
}

Status take_texts(Evidence& evidence, const std::string& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error)) {
    if (!entry.is_regular_file(error) || is_keeping_place(entry.path())) continue;
    POSTERN_TRY(std::string text, read_file(entry.path().string(), kTextBytesMax));
    evidence.texts.emplace(fs::relative(entry.path(), folder, error).string(), std::move(text));
  }
  if (error) return bad(evidence.name, "its folder cannot be read: " + error.message());
  return {};
}

Result<Evidence> read_run_folder(const std::string& folder) {
  POSTERN_TRY(const std::string record_text, read_file(folder + "/run.json", kTextBytesMax));
  POSTERN_TRY(const Json record, parse_json(record_text));
  Evidence evidence;
  evidence.name = std::string(record.string_at("run"));
  evidence.ticket = std::string(record.string_at("ticket"));
  evidence.nonce = std::string(record.string_at("label_nonce"));
  if (evidence.name.empty()) return bad(folder, "run.json names no run");
  if (const auto exit = record.integer_at("exit")) evidence.exit = static_cast<int>(*exit);
  evidence.outcome = std::string(record.string_at("outcome"));
  POSTERN_TRY(const std::string lines, read_file(folder + "/wire.jsonl", kTextBytesMax));
  POSTERN_TRY_VOID(take_lines(evidence, lines));
  POSTERN_TRY_VOID(take_texts(evidence, folder));
  POSTERN_TRY_VOID(check_outcome(evidence));
  if (record.string_at("state") == "finished") POSTERN_TRY_VOID(check_ended(evidence));
  POSTERN_TRY(evidence.world, read_world_records(folder));
  std::error_code error;
  if (!evidence.world && fs::exists(folder + "/world", error))
    return bad(evidence.name, "its world has no records of approvals and payments");
  return evidence;
}

}  // namespace

std::string BadEvidence::text() const {
  return "The log of " + name + " is no evidence: " + reason + ".";
}

Status check_whole(const Evidence& evidence) {
  if (evidence.entries.empty()) return bad(evidence.name, "nothing is in it");
  std::uint64_t expected = 1;
  for (const host::WireEntry& entry : evidence.entries) {
    if (entry.seq != expected) {
      return bad(evidence.name, "entry " + std::to_string(expected) + " is missing, repeated or out of its order");
    }
    ++expected;
  }
  return {};
}

Result<Evidence> evidence_of_log(std::string name, std::string_view lines) {
  Evidence evidence;
  evidence.name = std::move(name);
  POSTERN_TRY_VOID(take_lines(evidence, lines));
  evidence.texts.emplace("wire.jsonl", std::string(lines));
  return evidence;
}

Result<Evidence> read_evidence(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return read_run_folder(path);
  POSTERN_TRY(const std::string lines, read_file(path, kTextBytesMax));
  return evidence_of_log(fs::path(path).filename().string(), lines);
}

}  // namespace postern::lab
