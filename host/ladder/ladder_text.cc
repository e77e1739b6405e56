// The ladder as text: the summary, the listings, one entry.
#include <algorithm>
#include <cstdio>
#include <map>

#include "host/ladder/ladder.h"
#include "host/ladder/wire_entry_text.h"
#include "wire/base/clock.h"
#include "wire/base/visible_text.h"
#include "wire/tap/wire_log.h"

namespace postern::host {
namespace {

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string right(std::uint64_t number, std::size_t width) {
  std::string text = std::to_string(number);
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string seconds(std::int64_t ms) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(ms) / 1000.0);
  return text;
}

std::string challenges_remark(const Ladder& ladder) {
  if (ladder.challenges.empty()) return {};
  std::string remark = std::to_string(ladder.challenges.size()) +
                       (ladder.challenges.size() == 1 ? " challenge answered: " : " challenges answered: ");
  for (std::size_t i = 0; i < ladder.challenges.size(); ++i) {
    remark += (i == 0 ? "" : ", ") + ladder.challenges[i].what + " (#" + std::to_string(ladder.challenges[i].seq) + ")";
  }
  return remark;
}

const LadderRung* first_bad(const Ladder& ladder) {
  for (const LadderRung& rung : ladder.rungs) {
    if (!rung.to_read.empty()) return &rung;
  }
  return nullptr;
}

// The remark on a rung above the first bad one: its first finding, and what it follows from.
std::string finding_remark(const LadderRung& rung, const LadderRung& bad) {
  std::string remark = rung.to_read.front().text;
  if (rung.to_read.size() > 1) remark += " and " + std::to_string(rung.to_read.size() - 1) + " more";
  if (rung.layer == Layer::kEnvelope && rung.to_read.front().seq > bad.to_read.front().seq) {
    remark += ", follows from # " + std::to_string(bad.to_read.front().seq);
  }
  return remark;
}

std::string rung_line(const Ladder& ladder, std::size_t index, const LadderRung* bad) {
  const LadderRung& rung = ladder.rungs[index];
  std::string line = "  " + std::to_string(index + 1) + " " + padded(std::string(layer_name(rung.layer)), 8) +
                     right(rung.entries.size(), 6) + "   " + std::to_string(rung.to_read.size());
  std::vector<std::string> remarks;
  if (&rung == bad) remarks.emplace_back("<- start here");
  if (bad != nullptr && &rung != bad && !rung.to_read.empty()) remarks.push_back(finding_remark(rung, *bad));
  if (rung.layer == Layer::kHttp && !ladder.over_http) remarks.emplace_back("stdio run");
  if (rung.layer == Layer::kHttp && !ladder.challenges.empty()) remarks.push_back(challenges_remark(ladder));
  const std::string unit = index == 0 ? " to read" : "";
  if (remarks.empty()) return line + unit + "\n";
  line += bad != nullptr ? padded(unit, 11) : padded(unit, 5);
  for (std::size_t i = 0; i < remarks.size(); ++i) line += (i == 0 ? "" : "   ") + remarks[i];
  return line + "\n";
}

std::string finding_lines(const LadderRung& rung) {
  std::string text;
  for (const LadderFinding& finding : rung.to_read) {
    text += "    #" + right(finding.seq, 2) + " " + finding.text + "\n";
    if (!finding.detail.empty()) text += "        " + finding.detail + "\n";
  }
  return text;
}

std::string last_lines(const WireRun& run, const Ladder& ladder, const LadderRung* bad) {
  std::string text;
  const std::string name = visible_line(run.run, 120);
  if (run.unreadable > 0) text += std::to_string(run.unreadable) + " line(s) of the log cannot be read.\n";
  if (run.missing > 0) text += std::to_string(run.missing) + " entries are missing from the log.\n";
  if (bad == nullptr) {
    return "\n" + text + (text.empty() ? "Nothing to read. " : "Nothing else to read. ") +
           "All entries: postern wire show " + name + " --all\n";
  }
  if (bad->layer == Layer::kBytes && !ladder.over_http &&
      bad->to_read.front().text.find("not JSON-RPC") != std::string::npos) {
    text += "Cause: the server writes to stdout. Its log belongs on stderr.\n";
  }
  return text + "Read on: postern wire show " + name + " " + std::to_string(bad->to_read.front().seq) + "\n";
}

// Paths of the requests, so that a response can be shown with its own.
std::map<std::uint64_t, std::string> request_paths(const WireRun& run) {
  std::map<std::uint64_t, std::string> paths;
  for (const WireEntry& entry : run.entries) {
    if (entry.is_request()) paths[entry.exchange] = entry.path();
  }
  return paths;
}

std::string listing_line(const WireEntry& entry, Layer layer, const std::map<std::uint64_t, std::string>& paths) {
  std::string text;
  if (entry.is_note) {
    text = note_line(entry);
  } else if ((layer == Layer::kHttp || layer == Layer::kModel) && !entry.start.empty()) {
    const auto path = paths.find(entry.exchange);
    text = direction_of(entry) + " " +
           http_line(entry, path == paths.end() ? std::string_view() : std::string_view(path->second));
  } else if (const auto message = layer == Layer::kEnvelope ? message_of(entry) : std::nullopt) {
    text = direction_of(entry) + " " + message_line(*message);
  } else {
    text = direction_of(entry) + " " + std::to_string(entry.bytes) + " bytes";
    if (!entry.part.empty()) text += ", " + visible_line(entry.part, 20) + " of a stream";
    if (entry.start.empty()) text += " " + quoted(entry.raw.empty() ? entry.body : entry.raw, 60);
  }
  return right(entry.seq, 3) + " " + padded(std::string(layer_name(layer)), 8) + " " + text + "\n";
}

// The rung on which an entry says most, for the listing of a whole run.
Layer best_layer(const WireEntry& entry) {
  if (entry.is_note) return entry.layer;
  if (!entry.start.empty()) return Layer::kHttp;
  return message_of(entry) ? Layer::kEnvelope : Layer::kBytes;
}

const WireEntry* entry_of(const WireRun& run, std::uint64_t seq) {
  const auto found =
      std::find_if(run.entries.begin(), run.entries.end(), [seq](const WireEntry& entry) { return entry.seq == seq; });
  return found == run.entries.end() ? nullptr : &*found;
}

std::string hex_lines(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 16) {
    const std::string_view row = bytes.substr(at, 16);
    char cell[24];
    std::snprintf(cell, sizeof cell, "%08zx ", at);
    out += cell;
    std::string shown;
    for (std::size_t i = 0; i < 16; ++i) {
      if (i < row.size()) {
        const auto value = static_cast<unsigned char>(row[i]);
        std::snprintf(cell, sizeof cell, " %02x", static_cast<unsigned>(value));
        out += cell;
        shown += value >= 0x20 && value < 0x7F ? row[i] : '.';
      } else {
        out += "   ";
      }
    }
    out += "  " + shown + "\n";
  }
  return out;
}

std::string entry_title(const WireEntry& entry) {
  std::string line = "# " + std::to_string(entry.seq) + "   " + rfc3339(WallTime(Milliseconds(entry.at_ms))) + "   ";
  if (entry.is_note) return line + std::string(layer_name(entry.layer)) + "   " + note_line(entry) + "\n";
  line += direction_of(entry) + "   " + std::to_string(entry.bytes) + " bytes";
  if (entry.exchange > 0) line += "   exchange " + std::to_string(entry.exchange);
  if (!entry.part.empty()) line += "   " + visible_line(entry.part, 20) + " of a stream";
  return line + "\n";
}

}  // namespace

LadderText ladder_summary(const WireRun& run) {
  const Ladder ladder = climb(run);
  const LadderRung* const bad = first_bad(ladder);
  LadderText out;
  out.something_to_read = bad != nullptr || run.unreadable > 0 || run.missing > 0;
  out.text = visible_line(run.run, 120) + "   ";
  if (!run.ticket.empty()) out.text += visible_line(run.ticket, 60) + "   ";
  out.text += std::to_string(run.entries.size()) + " entries   " + seconds(ladder.working_ms) + " working";
  if (ladder.waiting_ms > 0) out.text += ", " + seconds(ladder.waiting_ms) + " waiting for a person";
  out.text += "\n\n";
  for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
    out.text += rung_line(ladder, i, bad);
    if (&ladder.rungs[i] == bad) out.text += finding_lines(*bad);
  }
  out.text += last_lines(run, ladder, bad);
  return out;
}

LadderText ladder_listing(const WireRun& run, Layer layer, bool all) {
  const Ladder ladder = climb(run);
  const auto paths = request_paths(run);
  LadderText out;
  for (const LadderRung& rung : ladder.rungs) {
    if (rung.layer != layer) continue;
    out.something_to_read = !rung.to_read.empty();
    for (const std::uint64_t seq : rung.entries) {
      const auto finding = std::find_if(rung.to_read.begin(), rung.to_read.end(),
                                        [seq](const LadderFinding& one) { return one.seq == seq; });
      const WireEntry* const entry = entry_of(run, seq);
      if (entry == nullptr || (!all && finding == rung.to_read.end())) continue;
      out.text += listing_line(*entry, layer, paths);
      if (finding != rung.to_read.end()) {
        out.text += "             ! " + finding->text + "\n";
        if (!finding->detail.empty()) out.text += "               " + finding->detail + "\n";
      }
    }
  }
  if (out.text.empty())
    out.text =
        all ? "There is nothing on this rung.\n" : "Nothing to read on this rung. With --all every entry is shown.\n";
  return out;
}

LadderText ladder_listing(const WireRun& run, bool all) {
  const Ladder ladder = climb(run);
  const auto paths = request_paths(run);
  std::map<std::uint64_t, std::string> findings;
  for (const LadderRung& rung : ladder.rungs) {
    for (const LadderFinding& finding : rung.to_read) findings[finding.seq] += "             ! " + finding.text + "\n";
  }
  LadderText out;
  out.something_to_read = ladder.something_to_read();
  for (const WireEntry& entry : run.entries) {
    const auto finding = findings.find(entry.seq);
    if (!all && finding == findings.end()) continue;
    out.text += listing_line(entry, best_layer(entry), paths);
    if (finding != findings.end()) out.text += finding->second;
  }
  if (out.text.empty()) out.text = "Nothing to read. With --all every entry is shown.\n";
  return out;
}

Result<std::string> show_entry(const WireRun& run, std::uint64_t seq, ShowEntry what) {
  const WireEntry* const entry = entry_of(run, seq);
  if (entry == nullptr) return NoSuchWireEntry{run.run, seq, run.entries.empty() ? 0 : run.entries.back().seq};
  std::string out = entry_title(*entry);
  if (entry->is_note)
    return out + (entry->details.is_object() ? visible_text(entry->details.pretty()) + "\n" : std::string());
  const std::string& body = entry->raw.empty() ? entry->body : entry->raw;
  if (what.headers && !entry->start.empty()) {
    out += visible_line(entry->start, 4000) + "\n";
    for (const auto& [name, value] : entry->headers)
      out += visible_line(name, 200) + ": " + visible_line(value, 4000) + "\n";
  }
  if (what.raw) return out + hex_lines(body);
  if (what.body && !body.empty()) {
    const auto json = parse_json(body, {16 * 1024 * 1024, 64});
    out += "\n" + visible_text(json ? json->pretty() : body);
    if (out.back() != '\n') out += '\n';
  }
  if (entry->cut > 0) out += "(" + std::to_string(entry->cut) + " more bytes were not kept)\n";
  return out;
}

std::string NoSuchWireEntry::text() const {
  return "Run " + visible_line(run, 120) + " has no entry " + std::to_string(seq) + "; its last is " +
         std::to_string(last) + ".";
}

}  // namespace postern::host
