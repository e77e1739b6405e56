#include "tests/lab/removal/removal_matrix.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>
#include <thread>

#include "wire/base/mutex.h"
#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

constexpr std::string_view kAnd = " + ";
constexpr JsonBounds kBounds{4 * 1024 * 1024, 8};
constexpr int kAttacks = 12;

Json to_json(const Ends& ends) {
  Json json = Json::object();
  for (const auto& [file, end] : ends) json.set(file, end);
  return json;
}

bool is_end(std::string_view end) {
  return end == "through" || end == "otherwise" || end == "neighbour" || end == "error";
}

Result<Ends> read_ends(const std::string& name, const Json& json) {
  Ends ends;
  for (const auto& [file, end] : json.members()) {
    if (!end.is_string() || !is_end(*end.string())) return BadMatrix{visible_line(name, 80) + " has an unknown end"};
    ends.emplace(file, *end.string());
  }
  return ends;
}

Result<std::map<std::string, Ends>> read_rows(const Json& document, std::string_view member) {
  const Json* rows = document.find(member);
  if (rows == nullptr || !rows->is_object()) return BadMatrix{"it has no object \"" + std::string(member) + "\""};
  std::map<std::string, Ends> read;
  for (const auto& [name, ends] : rows->members()) {
    POSTERN_TRY(Ends of_row, read_ends(name, ends));
    read.emplace(name, std::move(of_row));
  }
  return read;
}

struct Job {
  std::vector<std::string> removed;
  std::vector<std::string> cases;  // none: all of them
};

// The jobs, on as many threads as may be.
class Players {
 public:
  Players(const MatrixOptions& options, const RemovalPlayer& play, std::vector<Job> jobs)
      : options_(options), play_(play), jobs_(std::move(jobs)), results_(jobs_.size()) {}

  Result<std::vector<Played>> run() {
    std::vector<std::thread> threads;
    for (int i = 1; i < options_.threads; ++i) threads.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : threads) thread.join();
    std::vector<Played> played;
    for (std::optional<Result<Played>>& result : results_) {
      if (!result) return RemovalStopped{};
      if (!*result) return result->error();
      played.push_back(**std::move(result));
    }
    return played;
  }

 private:
  void work() {
    for (std::size_t i = next_++; i < jobs_.size(); i = next_++) {
      if (options_.stopped && options_.stopped()) return;
      results_[i].emplace(play_(jobs_[i].removed, jobs_[i].cases));
      const MutexLock lock(mutex_);
      ++done_;
      if (options_.progress) options_.progress(done_, jobs_.size());
    }
  }

  const MatrixOptions& options_;
  const RemovalPlayer& play_;
  const std::vector<Job> jobs_;
  std::vector<std::optional<Result<Played>>> results_;  // each thread writes those that it took
  std::atomic<std::size_t> next_{0};
  Mutex mutex_;
  std::size_t done_ POSTERN_GUARDED_BY(mutex_) = 0;
};

// Two controls, what was played without one of them each, and what that says of a play without both.
struct Pair {
  const std::string& one;
  const std::string& other;
  const Played& without_one;
  const Played& without_other;

  // The end of a case without both, when it is known; nothing when it has to be played.
  [[nodiscard]] Result<std::optional<std::string>> end_of(const std::string& file) const {
    const PlayedCase& first = without_one.at(file);
    const PlayedCase& second = without_other.at(file);
    const bool other_matters = first.objected.contains(other);
    const bool one_matters = second.objected.contains(one);
    if (other_matters && one_matters) return std::optional<std::string>();
    if (!other_matters && !one_matters && first.end != second.end) {
      return PlaysDiffer{file + " without " + one + " and without " + other};
    }
    return std::optional<std::string>(other_matters ? second.end : first.end);
  }
};

// Of a case file: the attack's number, from "A05-handle-of-another".
int attack_of(const std::string& file) {
  if (file.size() < 3 || file[0] != 'A') return 0;
  return (file[1] - '0') * 10 + (file[2] - '0');
}

char mark_of(const Ends& ends, int attack) {
  char mark = '.';
  for (const auto& [file, end] : ends) {
    if (attack_of(file) != attack) continue;
    if (end == "error") return '!';
    if (end == "through") mark = 'T';
    if (end == "otherwise" && mark != 'T') mark = 'o';
    if (end == "neighbour" && mark == '.') mark = 'n';
  }
  return mark;
}

void add_row(std::string& table, const std::string& name, const Ends& ends, std::size_t width) {
  table += name + std::string(width - std::min(width, name.size()), ' ');
  for (int attack = 1; attack <= kAttacks; ++attack) table += std::string("   ") + mark_of(ends, attack);
  table += "\n";
}

}  // namespace

Ends ends_of(const Played& played) {
  Ends ends;
  for (const auto& [file, one] : played) {
    if (!one.end.empty()) ends.emplace(file, one.end);
  }
  return ends;
}

Result<Matrix> read_matrix(std::string_view text) {
  const auto document = parse_json(text, kBounds);
  if (!document || !document->is_object()) return BadMatrix{"it is no JSON object"};
  Matrix matrix;
  POSTERN_TRY(matrix.singles, read_rows(*document, "singles"));
  POSTERN_TRY(matrix.pairs, read_rows(*document, "pairs"));
  const Json* explained = document->find("explained");
  if (explained == nullptr || !explained->is_object()) return BadMatrix{"it has no object \"explained\""};
  for (const auto& [name, sentence] : explained->members()) {
    if (!sentence.is_string()) return BadMatrix{visible_line(name, 80) + " is not explained by a sentence"};
    matrix.explained.emplace(name, *sentence.string());
  }
  return matrix;
}

std::string to_text(const Matrix& matrix) {
  // A row a line, so that a change reads as one.
  std::string text = "{\n";
  const auto add = [&text](std::string_view member, const std::map<std::string, Ends>& rows, std::string_view after) {
    text += "  \"" + std::string(member) + "\": {\n";
    std::size_t left = rows.size();
    for (const auto& [name, ends] : rows) {
      text += "    ";
      Json::append_quoted(text, name);
      text += ": " + to_json(ends).dump() + (--left > 0 ? ",\n" : "\n");
    }
    text += "  }" + std::string(after) + "\n";
  };
  add("singles", matrix.singles, ",");
  add("pairs", matrix.pairs, ",");
  text += "  \"explained\": {\n";
  std::size_t left = matrix.explained.size();
  for (const auto& [name, sentence] : matrix.explained) {
    text += "    ";
    Json::append_quoted(text, name);
    text += ": ";
    Json::append_quoted(text, sentence);
    text += --left > 0 ? ",\n" : "\n";
  }
  return text + "  }\n}\n";
}

namespace {

// Whether the pair's end is more than what one of the two shows alone.
bool is_more(const std::string& end, const std::string& one, const std::string& other) {
  return !end.empty() && end != one && end != other;
}

// The pairs, of which only those cases are played that nobody can say anything about.
Result<std::map<std::string, Ends>> play_pairs(const MatrixOptions& options, const RemovalPlayer& play,
                                               const std::vector<Played>& singles) {
  std::map<std::string, Ends> rows;
  std::vector<Job> jobs;
  std::vector<std::pair<std::size_t, std::size_t>> of_job;
  for (std::size_t i = 0; i < singles.size(); ++i) {
    for (std::size_t k = i + 1; k < singles.size(); ++k) {
      const Pair pair{options.controls[i], options.controls[k], singles[i], singles[k]};
      Job job{{options.controls[i], options.controls[k]}, {}};
      for (const auto& [file, one] : singles[i]) {
        POSTERN_TRY(const std::optional<std::string> end, pair.end_of(file));
        if (!end) job.cases.push_back(file);
      }
      if (job.cases.empty()) continue;
      jobs.push_back(std::move(job));
      of_job.emplace_back(i, k);
    }
  }
  POSTERN_TRY(const std::vector<Played> played, Players(options, play, std::move(jobs)).run());
  for (std::size_t job = 0; job < played.size(); ++job) {
    const auto [i, k] = of_job[job];
    Ends more;
    for (const auto& [file, one] : played[job]) {
      if (is_more(one.end, singles[i].at(file).end, singles[k].at(file).end)) more.emplace(file, one.end);
    }
    if (!more.empty()) rows.emplace(options.controls[i] + std::string(kAnd) + options.controls[k], std::move(more));
  }
  return rows;
}

}  // namespace

Result<Matrix> play_matrix(const MatrixOptions& options, const RemovalPlayer& play) {
  std::vector<Job> jobs;
  for (const std::string& control : options.controls) jobs.push_back({{control}, {}});
  POSTERN_TRY(const std::vector<Played> singles, Players(options, play, std::move(jobs)).run());
  Matrix matrix;
  for (std::size_t i = 0; i < singles.size(); ++i) matrix.singles.emplace(options.controls[i], ends_of(singles[i]));
  if (options.pairs) {
    POSTERN_TRY(matrix.pairs, play_pairs(options, play, singles));
  }
  return matrix;
}

std::vector<std::string> idle_controls(const Matrix& singles, const Matrix& pairs) {
  std::set<std::string> shown;
  for (const auto& [name, ends] : pairs.pairs) {
    const std::size_t at = name.find(kAnd);
    if (at == std::string::npos || ends.empty()) continue;
    shown.insert(name.substr(0, at));
    shown.insert(name.substr(at + kAnd.size()));
  }
  std::vector<std::string> idle;
  for (const auto& [name, ends] : singles.singles) {
    if (ends.empty() && !shown.contains(name) && !pairs.explained.contains(name)) idle.push_back(name);
  }
  return idle;
}

std::vector<std::string> wrong_explanations(const Matrix& singles, const Matrix& expected) {
  std::vector<std::string> wrong;
  for (const auto& [name, sentence] : expected.explained) {
    const auto row = singles.singles.find(name);
    if (row == singles.singles.end()) {
      wrong.push_back(name + " is explained, and there is no such control");
    } else if (!row->second.empty()) {
      wrong.push_back(name + " is explained, and shows by itself");
    } else if (sentence.find("tests/") == std::string::npos) {
      wrong.push_back(name + " is explained by no test: a sentence must name its file");
    }
  }
  return wrong;
}

std::vector<std::string> differences(const std::string& name, const Ends& expected, const Ends& got) {
  std::vector<std::string> lines;
  std::set<std::string> files;
  for (const auto& [file, end] : expected) files.insert(file);
  for (const auto& [file, end] : got) files.insert(file);
  for (const std::string& file : files) {
    const auto was = expected.find(file);
    const auto is = got.find(file);
    const std::string before = was == expected.end() ? "as it must" : was->second;
    const std::string now = is == got.end() ? "as it must" : is->second;
    if (before != now) lines.push_back(name + ": " + file + " ends " + now + ", and not " + before);
  }
  return lines;
}

std::string table_of(const Matrix& matrix) {
  std::size_t width = 0;
  for (const auto& [name, ends] : matrix.singles) width = std::max(width, name.size());
  for (const auto& [name, ends] : matrix.pairs) width = std::max(width, name.size());
  std::string table = std::string("without") + std::string(width - std::min<std::size_t>(width, 7), ' ');
  for (int attack = 1; attack <= kAttacks; ++attack) {
    const std::string id = "A" + std::to_string(attack);
    table += std::string(4 - id.size(), ' ') + id;
  }
  table += "\n";
  for (const auto& [name, ends] : matrix.singles) add_row(table, name, ends, width);
  for (const auto& [name, ends] : matrix.pairs) add_row(table, name, ends, width);
  return table + "T through, o refused by something else, n a neighbour refused, ! error, . as with all controls\n";
}

}  // namespace postern::lab
