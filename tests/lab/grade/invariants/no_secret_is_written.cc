// I10: no token, key, code, handle or cookie is ever written to a log, a page, a terminal, an error or a model turn;
// stdout of a stdio server carries MCP messages only.

#include <algorithm>
#include <array>
#include <cctype>

#include "tests/lab/grade/invariants/invariants.h"

namespace postern::lab {
namespace {

constexpr std::size_t kSecretCharactersMin = 16;  // behind the prefix
constexpr std::size_t kPieceCharacters = 16;      // of a known secret

bool is_secret_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

std::size_t run_of_secret(std::string_view text, std::size_t from) {
  std::size_t end = from;
  while (end < text.size() && is_secret_character(text[end])) ++end;
  return end - from;
}

// A prefix of ours at the start of a word, with as much behind it as no name has.
bool has_own_shape(std::string_view text, std::size_t at) {
  constexpr std::array<std::string_view, 7> kPrefixes = {"ch_", "apt_", "ac_", "svc_", "hs_", "rs_", "sk-ant-"};
  if (at > 0 && is_secret_character(text[at - 1])) return false;
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view prefix) {
    return text.substr(at, prefix.size()) == prefix && run_of_secret(text, at + prefix.size()) >= kSecretCharactersMin;
  });
}

// A JWT: three parts of base64url, of which the first two are JSON objects.
bool has_jwt_shape(std::string_view text, std::size_t at) {
  if (text.substr(at, 3) != "eyJ" || (at > 0 && is_secret_character(text[at - 1]))) return false;
  const std::size_t header = run_of_secret(text, at);
  const std::size_t second = at + header + 1;
  if (second >= text.size() || text[second - 1] != '.' || text.substr(second, 3) != "eyJ") return false;
  const std::size_t end = second + run_of_secret(text, second);
  return end < text.size() && text[end] == '.' && run_of_secret(text, end + 1) >= kSecretCharactersMin;
}

bool has_bearer_shape(std::string_view text, std::size_t at) {
  for (const std::string_view scheme : {"Bearer ", "Service "}) {
    if (text.substr(at, scheme.size()) == scheme && run_of_secret(text, at + scheme.size()) >= kSecretCharactersMin + 4)
      return true;
  }
  return false;
}

// Where the first thing of a secret's shape stands, and what shape.
std::string_view shape_at(std::string_view text, std::size_t at) {
  if (has_own_shape(text, at)) return "a secret of ours";
  if (has_jwt_shape(text, at)) return "a JWT";
  if (has_bearer_shape(text, at)) return "a credential behind its scheme";
  if (text.substr(at, 11) == "-----BEGIN " && text.substr(at, 60).find("PRIVATE KEY") != std::string_view::npos)
    return "a private key";
  return {};
}

void judge_shapes(const std::string& name, std::string_view text, Judgement& judgement) {
  constexpr std::string_view kStarts = "caseBSh-r";  // first characters of all shapes
  for (std::size_t at = text.find_first_of(kStarts); at != text.npos; at = text.find_first_of(kStarts, at + 1)) {
    const std::string_view shape = shape_at(text, at);
    if (shape.empty()) continue;
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    judgement.broken(name + ", line " + std::to_string(line), std::string(shape) + " stands there in clear");
    return;
  }
}

// A known secret, whole or a piece of it.
void judge_canary(const std::string& name, std::string_view text, std::string_view canary, Judgement& judgement) {
  const std::size_t length = std::min(kPieceCharacters, canary.size());
  if (length < 8) return;
  for (std::size_t from = 0; from + length <= canary.size(); ++from) {
    const std::size_t at = text.find(canary.substr(from, length));
    if (at == text.npos) continue;
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    judgement.broken(name + ", line " + std::to_string(line), "a secret of this run, or a piece of one, stands there");
    return;
  }
}

// Each line that a stdio server wrote is a message.
std::size_t judge_stdout(const Evidence& evidence, Judgement& judgement) {
  std::size_t lines = 0;
  for (const host::WireEntry& entry : evidence.entries) {
    if (entry.is_note || entry.is_http || entry.from == "host") continue;
    ++lines;
    const auto message = parse_json(entry.body.empty() ? entry.raw : entry.body, {64 * 1024 * 1024, 64});
    if (!message || message->string_at("jsonrpc") != "2.0")
      judgement.broken(entry, "body", "a line on the stdout of a stdio server that is no message");
  }
  return lines;
}

}  // namespace

Finding no_secret_is_written(const Evidence& evidence, const RunView& /*view*/) {
  Judgement judgement;
  for (const auto& [name, text] : evidence.texts) {
    judge_shapes(name, text, judgement);
    for (const std::string& canary : evidence.canaries) judge_canary(name, text, canary, judgement);
  }
  // Entries that came without their text (a log that was handed over as values) are searched as well.
  for (const host::WireEntry& entry : evidence.entries) {
    const std::string name = "entry " + std::to_string(entry.seq) + ", ";
    judge_shapes(name + "body", entry.body, judgement);
    judge_shapes(name + "raw", entry.raw, judgement);
    for (const auto& [header, value] : entry.headers) judge_shapes(name + "headers." + header, value, judgement);
  }
  const std::size_t lines = judge_stdout(evidence, judgement);
  if (!evidence.texts.empty() || !evidence.entries.empty()) {
    judgement.seen(std::to_string(evidence.texts.size()) + " texts and " + std::to_string(evidence.entries.size()) +
                   " entries hold nothing of a secret's shape" +
                   (evidence.canaries.empty()
                        ? std::string()
                        : " and no piece of " + std::to_string(evidence.canaries.size()) + " known secrets") +
                   (lines == 0 ? std::string() : "; " + std::to_string(lines) + " lines of stdout are messages"));
  }
  return judgement.finding("nothing was written");
}

}  // namespace postern::lab
