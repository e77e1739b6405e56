// The fixture format of cases (*.case): one attempt, and the one thing that it must end as.
//
//   name: a genuine token for another MCP server
//   attack: A1
//   as: rowan
//   given: token audience=other
//   when: call get_ticket
//   expect: token.wrong_audience
//   layer: http
//   allowed: A01-own-token
//   comment: RFC 9068 section 4
//
//   -- request --
//   bytes, as they are
//
// Lines of "key: value" in printable ASCII, a blank line, then bodies between "-- section --" lines; the end of a
// body's last line is not part of it. The keys are closed; `given` may stand several times, in the order in which
// things happen, every other key once. `expect` is the id of a failure (docs/failures.md) or "success". A case that
// expects a failure names in `allowed` the nearest case that is let through; it expects success and differs in one
// fact. An unknown key, a key without a value and a section that nobody asked for are errors, so that a case cannot be
// half read. Immutable.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/failure.h"
#include "wire/base/result.h"

namespace postern::test {

struct BadCaseFile {
  static constexpr std::string_view kId = "lab.bad_case_file";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string file;
  int line = 0;  // 0: of the whole
  std::string reason;
  [[nodiscard]] std::string text() const { return file + (line > 0 ? ":" + std::to_string(line) : "") + ": " + reason; }
};

class CaseFile {
 public:
  // Keys that a case may have: name, attack, fault, public, as, given, when, expect, layer, desk, allowed, comment.
  // Required: name, when, expect, and exactly one of attack ("A1" to "A12"), fault (its name) and public ("B-079").
  // `file` is for messages. Failure: lab.bad_case_file.
  [[nodiscard]] static Result<CaseFile> parse(std::string_view file, std::string_view text);

  [[nodiscard]] const std::string& file() const { return file_; }
  // Empty when it is not there. REQUIRES a key of the list that stands once.
  [[nodiscard]] const std::string& value(std::string_view key) const;
  [[nodiscard]] const std::vector<std::string>& given() const { return given_; }
  [[nodiscard]] bool expects_success() const { return value("expect") == "success"; }

  // The body of a section, or null; it counts as used from then on.
  [[nodiscard]] const std::string* section(std::string_view name) const;
  // Once a case has been played: lab.bad_case_file when a section was never asked for.
  [[nodiscard]] Status all_used() const;

 private:
  std::string file_;
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<std::string> given_;
  std::map<std::string, std::string, std::less<>> sections_;
  mutable std::set<std::string, std::less<>> used_;
};

// "token audience=other scope=\"desk:read refunds:write\"": a word and what it is told. Quotes hold blanks; a quote
// that does not end, or a repeated name, is an error.
struct CaseStep {
  std::string verb;
  std::vector<std::string> words;                              // what has no "="
  std::map<std::string, std::string, std::less<>> parameters;  // what has
};
[[nodiscard]] Result<CaseStep> parse_step(std::string_view text);

}  // namespace postern::test
