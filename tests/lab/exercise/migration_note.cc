#include "tests/lab/exercise/migration_note.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "wire/base/file.h"
#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWordsMin = 150;
constexpr std::size_t kWordsMax = 400;
constexpr std::size_t kWordsOfAClaimMax = 60;
constexpr std::size_t kPairingsMin = 3;
constexpr std::size_t kTestsMin = 1;
constexpr std::size_t kFileBytesMax = 4 * 1024 * 1024;
constexpr std::string_view kArrow = " -> ";

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

// A paragraph or a list item, with the line on which it begins.
struct Claim {
  int line = 0;
  std::string text;
};

bool begins_item(std::string_view line) {
  return line.substr(0, 2) == "- " || line.substr(0, 2) == "* ";
}

// Headings are no claims.
std::vector<Claim> claims_of(std::string_view note) {
  std::vector<Claim> claims;
  bool open = false;
  int number = 0;
  while (!note.empty()) {
    const std::size_t end = std::min(note.find('\n'), note.size());
    const std::string line = trimmed(note.substr(0, end));
    note.remove_prefix(std::min(end + 1, note.size()));
    ++number;
    const bool heading = line.substr(0, 1) == "#";
    if (line.empty() || heading) {
      open = false;
      continue;
    }
    if (!open || begins_item(line)) claims.push_back({number, ""});
    open = true;
    claims.back().text += (begins_item(line) ? line.substr(2) : line) + " ";
  }
  return claims;
}

std::vector<std::string> evidence_in(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t at = text.find('['); at != text.npos; at = text.find('[', at + 1)) {
    const std::size_t end = text.find(']', at);
    if (end == text.npos) break;
    found.push_back(text.substr(at + 1, end - at - 1));
  }
  return found;
}

std::size_t words_of(const std::string& text) {
  std::size_t words = 0;
  bool in_word = false;
  bool in_evidence = false;
  for (const char c : text) {
    if (c == '[') in_evidence = true;
    const bool letter = !in_evidence && std::isspace(static_cast<unsigned char>(c)) == 0;
    if (letter && !in_word) ++words;
    in_word = letter;
    if (c == ']') in_evidence = false;
  }
  return words;
}

class NoteCheck {
 public:
  explicit NoteCheck(const NoteEvidence& evidence) : evidence_(evidence) {}

  NoteVerdict run(std::string_view note) {
    for (const Claim& claim : claims_of(note)) check_claim(claim);
    if (verdict_.words < kWordsMin) object(0, count("words", verdict_.words) + ", and at least 150 are asked for");
    if (verdict_.words > kWordsMax) object(0, count("words", verdict_.words) + ", and at most 400 are asked for");
    if (pairings_.size() < kPairingsMin)
      object(0, count("pairings", pairings_.size()) + " of the matrix, and at least 3 are asked for");
    if (tests_.size() < kTestsMin) object(0, "no test is named");
    return std::move(verdict_);
  }

 private:
  static std::string count(std::string_view what, std::size_t how_many) {
    return "it has " + std::to_string(how_many) + " " + std::string(what);
  }
  void object(int line, std::string text) { verdict_.findings.push_back({line, std::move(text)}); }

  void check_claim(const Claim& claim) {
    const std::size_t words = words_of(claim.text);
    verdict_.words += words;
    ++verdict_.claims;
    if (words > kWordsOfAClaimMax)
      object(claim.line, count("words", words) + " in one claim; say one thing a paragraph");
    const std::vector<std::string> named = evidence_in(claim.text);
    if (named.empty()) object(claim.line, "no evidence: name a pairing or a test in square brackets");
    for (const std::string& one : named) {
      one.find(kArrow) == one.npos ? check_test(claim.line, one) : check_pairing(claim.line, one);
    }
  }

  // "sdk1 -> desk-http: -"
  void check_pairing(int line, const std::string& text) {
    const std::size_t arrow = text.find(kArrow);
    const std::size_t colon = text.find(": ", arrow);
    const std::string host = trimmed(text.substr(0, arrow));
    const std::string server = trimmed(text.substr(arrow + kArrow.size(), colon - arrow - kArrow.size()));
    const std::string stated = colon == text.npos ? "" : trimmed(text.substr(colon + 2));
    const Json* row = evidence_.matrix.find(server);
    if (row == nullptr) return object(line, "the matrix has no server \"" + visible_line(server, 60) + "\"");
    const Json* cell = row->find(host);
    if (cell == nullptr) return object(line, "the matrix has no host \"" + visible_line(host, 60) + "\"");
    const std::string shown = visible_line(text, 100);
    if (stated.empty()) return object(line, "[" + shown + "] says no outcome");
    if (stated != row->string_at(host)) {
      return object(line, "[" + shown + "] is not what the matrix says: " + std::string(row->string_at(host)));
    }
    pairings_.insert(server + " " + host);
  }

  void check_test(int line, const std::string& name) {
    if (!evidence_.tests.contains(name)) return object(line, "there is no test \"" + visible_line(name, 100) + "\"");
    tests_.insert(name);
  }

  const NoteEvidence& evidence_;
  NoteVerdict verdict_;
  std::set<std::string> pairings_;
  std::set<std::string> tests_;
};

void add_tests_of(std::string_view text, std::set<std::string>& names) {
  for (std::size_t at = text.find("\nTEST"); at != text.npos; at = text.find("\nTEST", at + 1)) {
    const std::size_t open = text.find('(', at);
    const std::size_t close = open == text.npos ? text.npos : text.find(')', open);
    if (close == text.npos) return;
    std::string name(text.substr(open + 1, close - open - 1));
    std::erase_if(name, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
    std::replace(name.begin(), name.end(), ',', '.');
    names.insert(name);
  }
}

}  // namespace

NoteEvidence note_evidence_of(const std::string& source_folder) {
  NoteEvidence evidence;
  const std::string tests = source_folder + "/tests";
  if (const auto text = read_file(tests + "/peers/interop.json", kFileBytesMax)) {
    if (auto json = parse_json(*text)) evidence.matrix = *std::move(json);
  }
  std::error_code error;
  for (fs::recursive_directory_iterator entry(tests, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() != ".cc") continue;
    if (const auto text = read_file(entry->path().string(), kFileBytesMax)) add_tests_of(*text, evidence.tests);
  }
  return evidence;
}

NoteVerdict check_migration_note(std::string_view note, const NoteEvidence& evidence) {
  return NoteCheck(evidence).run(note);
}

}  // namespace postern::lab
