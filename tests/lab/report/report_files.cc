#include "tests/lab/report/report_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <set>

#include "tests/lab/report/interruption.h"
#include "tests/lab/report/shown_text.h"
#include "wire/base/check.h"
#include "wire/base/file.h"
#include "wire/base/random_source.h"
#include "wire/base/visible_text.h"
#include "wire/tap/fingerprint.h"
#include "wire/tap/redact.h"

namespace postern::lab {
namespace {

constexpr std::string_view kStdout = "-";

struct Target {
  std::string path;
  std::string (*write)(const Suite&);
};

std::vector<Target> targets_of(const ReportOptions& options) {
  std::vector<Target> out;
  for (const Target& target : {Target{options.tap, as_tap}, Target{options.junit, as_junit},
                               Target{options.json, as_json}, Target{options.html, as_html}}) {
    if (!target.path.empty()) out.push_back(target);
  }
  return out;
}

// A device or a pipe: there is no name beside it to write to, and nothing to replace.
bool is_stream(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

Status write_stream(const std::string& path, std::string_view content) {
  const auto failed = [&path] { return ReportFailed{visible_line(path), std::strerror(errno)}; };
  const int file = ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return failed();  // of a pipe too that nobody reads
  ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) & ~O_NONBLOCK);
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const ReportFailed failure = failed();
      ::close(file);
      return failure;
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::close(file) != 0) return failed();
  return {};
}

// A link stays one: what it names is replaced, or made.
std::filesystem::path behind_links(std::filesystem::path path) {
  constexpr int kLinksMax = 40;  // as the system has it
  std::error_code error;
  for (int i = 0; i < kLinksMax && std::filesystem::is_symlink(path, error); ++i) {
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  }
  return path;
}

Status write_file(const std::string& path, std::string_view content) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return ReportFailed{visible_line(path), "Is a directory"};
  const Status written = replace_file(behind_links(path).string(), content);
  if (written) return {};
  const auto* failure = written.error().as<FileFailed>();
  return ReportFailed{visible_line(path), failure != nullptr ? failure->reason : written.error().text()};
}

// Where a path leads, however it is spelled.
std::string place_of(const std::string& path) {
  if (path == kStdout) return path;
  std::error_code error;
  const auto place = std::filesystem::weakly_canonical(behind_links(path), error);
  return error ? path : place.string();
}

Status check_options(const ReportOptions& options) {
  std::set<std::string> paths;
  for (const Target& target : targets_of(options)) {
    if (!paths.insert(place_of(target.path)).second) {
      return ReportFailed{target.path == kStdout ? std::string("stdout") : visible_line(target.path),
                          "two reports cannot go to the same place"};
    }
  }
  return {};
}

std::string_view signal_name(int exit_code) {
  return exit_code == 143 ? "SIGTERM" : "SIGINT";
}

}  // namespace

void write_refusal(const ReportOptions& options, std::string verb, std::string why) {
  Suite suite;
  suite.verb = std::move(verb);
  suite.summary = "No check was run: " + why;
  Check check;
  check.id = "usage";
  check.name = "the command as it was given";
  check.expected = "a command that can be run";
  check.got = std::move(why);
  suite.checks.push_back(std::move(check));
  for (const Target& target : targets_of(options)) {
    if (target.path == kStdout || is_stream(target.path)) continue;
    if (const Status written = write_file(target.path, target.write(suite)); !written) {
      std::cerr << "postern-lab: " << written.error().text() << std::endl;
    }
  }
}

std::string ReportFailed::text() const {
  return "No report at " + path + ": " + reason + ". Nothing half written stands there.";
}

// What a server answered may hold what it gave out: a handle, a state, a token. A report is shown around.
class Withheld {
 public:
  void from(Check& check) const {
    for (std::string* text : {&check.expected, &check.got, &check.next}) *text = redactor_.text_in_pieces(*text);
  }

 private:
  SystemRandomSource random_;
  Fingerprints fingerprints_{random_};
  Redactor redactor_{fingerprints_};
};

struct Reports::State {
  State(ReportOptions report_options, std::string verb, std::string target)
      : options(std::move(report_options)),
        to_stdout(options.tap == kStdout || options.junit == kStdout || options.json == kStdout ||
                  options.html == kStdout) {
    suite.verb = std::move(verb);
    suite.target = std::move(target);
  }

  std::ostream& screen() const { return to_stdout ? std::cerr : std::cout; }

  std::size_t missing() const { return static_cast<std::size_t>(std::count(has_result.begin(), has_result.end(), 0)); }

  // What has no result is told why.
  void explain_missing(const std::string& why) {
    for (std::size_t i = 0; i < suite.checks.size(); ++i) {
      if (has_result[i] == 0) suite.checks[i].got = why;
    }
  }

  // `at_the_end`: what is a stream, too.
  Status write(bool at_the_end) const {
    for (const Target& target : targets_of(options)) {
      if (target.path == kStdout) {
        if (!at_the_end) continue;
        std::cout << target.write(suite) << std::flush;
      } else if (is_stream(target.path)) {
        if (at_the_end) POSTERN_TRY_VOID(write_stream(target.path, target.write(suite)));
      } else {
        POSTERN_TRY_VOID(write_file(target.path, target.write(suite)));
      }
    }
    if (at_the_end && !std::cout.flush()) return ReportFailed{"stdout", "it cannot be written to"};
    return {};
  }

  // By the thread of the signal: the verb did not stop by itself.
  void end_by_signal(int exit_code) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (finished) return;
    finished = true;
    describe_interruption(exit_code);
    const Status written = write(true);
    screen() << suite.summary << std::endl;
    if (!written) std::cerr << "postern-lab: " << written.error().text() << std::endl;
  }

  void describe_interruption(int exit_code) {
    const std::string name(signal_name(exit_code));
    suite.summary = "Interrupted by " + name + ": " + std::to_string(missing()) + " of " +
                    std::to_string(suite.checks.size()) + " checks have no result.";
    explain_missing("no result: " + name + " came before this check was done");
  }

  std::mutex mutex;  // the thread of a signal writes what it finds
  ReportOptions options;
  bool to_stdout;
  Suite suite;
  std::vector<char> has_result;
  std::size_t id_width = 0;
  Withheld withheld;
  bool finished = false;
  std::unique_ptr<Interruption> interruption;
};

Result<Reports> Reports::begin(ReportOptions options, std::string verb, std::string target,
                               std::vector<Check> planned) {
  POSTERN_TRY_VOID(check_options(options));
  auto state = std::make_unique<State>(std::move(options), std::move(verb), std::move(target));
  std::set<std::string> ids;
  for (Check& check : planned) {
    POSTERN_CHECK(ids.insert(check.id).second);
    check.verdict = Verdict::kError;
    state->id_width = std::max(state->id_width, std::min<std::size_t>(shown_line(check.id).size(), 30));
    state->suite.checks.push_back(std::move(check));
  }
  state->has_result.assign(state->suite.checks.size(), 0);
  state->suite.summary = "Not finished.";
  state->explain_missing("no result: the program ended before this check was done");
  POSTERN_TRY_VOID(state->write(false));
  State* const here = state.get();
  state->interruption = std::make_unique<Interruption>([here](int exit_code) { here->end_by_signal(exit_code); });
  return Reports(std::move(state));
}

Reports::Reports(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reports::Reports(Reports&&) noexcept = default;
Reports& Reports::operator=(Reports&&) noexcept = default;

Reports::~Reports() {
  if (state_ == nullptr || state_->finished) return;
  const int exit_code = state_->interruption->exit_code();
  state_->interruption.reset();
  state_->suite.summary = "Ended early: " + std::to_string(state_->missing()) + " of " +
                          std::to_string(state_->suite.checks.size()) + " checks have no result.";
  state_->explain_missing("no result: the verb ended early");
  if (exit_code != 0) state_->describe_interruption(exit_code);
  if (const Status written = state_->write(true); !written) {
    std::cerr << "postern-lab: " << written.error().text() << std::endl;
  }
}

void Reports::add(Check check) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  auto& checks = state_->suite.checks;
  const auto place =
      std::find_if(checks.begin(), checks.end(), [&check](const Check& planned) { return planned.id == check.id; });
  POSTERN_CHECK(place != checks.end());
  state_->withheld.from(check);
  state_->screen() << as_lines(check, state_->id_width) << std::flush;
  state_->has_result[static_cast<std::size_t>(place - checks.begin())] = 1;
  *place = std::move(check);
}

const Suite& Reports::suite() const {
  return state_->suite;
}

std::stop_token Reports::stop() const {
  return state_->interruption->token();
}

Result<int> Reports::finish(std::string summary) {
  const int interrupted = state_->interruption->exit_code();
  const std::lock_guard<std::mutex> lock(state_->mutex);
  POSTERN_CHECK(!state_->finished);
  state_->finished = true;
  state_->suite.summary = std::move(summary);
  state_->explain_missing("no result: the verb ended without one");
  if (interrupted != 0) state_->describe_interruption(interrupted);
  for (std::size_t i = 0; i < state_->suite.checks.size(); ++i) {
    if (state_->has_result[i] == 0) state_->screen() << as_lines(state_->suite.checks[i], state_->id_width);
  }
  state_->screen() << visible_text(state_->suite.summary) << std::endl;
  POSTERN_TRY_VOID(state_->write(true));
  return interrupted != 0 ? interrupted : exit_code_of(state_->suite);
}

}  // namespace postern::lab
