// Runs the programs as a person would: real processes, a state folder of their own, and what they printed on each
// stream.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/base/json.h"

namespace postern::e2e {

struct Finished {
  int exit = -1;
  std::string out;
  std::string err;
  // Both streams, for a failed expectation.
  [[nodiscard]] std::string shown() const {
    return "exit " + std::to_string(exit) + "\n--- stdout\n" + out + "--- stderr\n" + err;
  }
};

using Variables = std::vector<std::pair<std::string, std::string>>;

// Runs argv[0] of the build's programs to its end, at most so long; then it is ended, and `exit` is what that gave.
// `on_err` is told what stands on stderr each time that it grew.
[[nodiscard]] Finished run_program(const std::vector<std::string>& argv, const Variables& variables,
                                   std::chrono::seconds at_most = std::chrono::seconds(40),
                                   const std::function<void(const std::string&)>& on_err = {});
[[nodiscard]] std::string program(std::string_view name);

// A folder of a test, removed with all in it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// One person's machine: a state folder, and the runs in it. Ends what its runs left up.
class Machine {
 public:
  Machine() = default;
  ~Machine();
  // postern-lab run ARGUMENTS...
  [[nodiscard]] Finished lab_run(std::vector<std::string> arguments) const;
  // postern ARGUMENTS...
  [[nodiscard]] Finished postern(std::vector<std::string> arguments, Variables more = {}) const;
  [[nodiscard]] Variables variables() const;
  [[nodiscard]] std::string state() const { return folder_.path() + "/state"; }
  [[nodiscard]] const std::string& folder() const { return folder_.path(); }
  // Folders of the runs, oldest first.
  [[nodiscard]] std::vector<std::string> runs() const;
  // The requests that the model double got in the newest run.
  [[nodiscard]] std::vector<Json> model_requests() const;

 private:
  Folder folder_;
};

// Every file below a folder that is not in `except` (by name): path and content.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> files_below(const std::string& folder,
                                                                           const std::vector<std::string>& except);
[[nodiscard]] std::string content_of(const std::string& path);
[[nodiscard]] std::vector<Json> json_lines(const std::string& text);
// The line of a text that begins so; empty when there is none.
[[nodiscard]] std::string line_of(const std::string& text, std::string_view begins);

}  // namespace postern::e2e
