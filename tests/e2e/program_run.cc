#include "tests/e2e/program_run.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "wire/transport/child_process.h"

namespace postern::e2e {
namespace {

namespace fs = std::filesystem;

bool take(int descriptor, std::string& into) {
  char buffer[16 * 1024];
  const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
  if (count > 0) into.append(buffer, static_cast<std::size_t>(count));
  return count > 0;
}

std::string started_of(int id) {
  const std::string stat = content_of("/proc/" + std::to_string(id) + "/stat");
  std::size_t at = stat.rfind(')');
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = stat.find(' ', at + 1);
  return at == std::string::npos ? "" : stat.substr(at + 1, stat.find(' ', at + 1) - at - 1);
}

// Ends the processes of a local stack that run.json names, if they are still those, and sees that they are gone: the
// folder they write to is removed next.
void end_stack_of(const std::string& run_folder) {
  const auto record = parse_json(content_of(run_folder + "/run.json"));
  const Json* stack = record ? record->find("stack") : nullptr;
  const Json* processes = stack == nullptr ? nullptr : stack->find("processes");
  if (processes == nullptr) return;
  std::vector<std::pair<int, std::string>> alive;
  for (const auto& one : processes->members()) {
    const int id = static_cast<int>(one.second.integer_at("id").value_or(0));
    const std::string started(one.second.string_at("started"));
    if (id > 1 && !started.empty() && started_of(id) == started && ::kill(id, SIGTERM) == 0)
      alive.emplace_back(id, started);
  }
  for (int looks = 0; looks < 150 && !alive.empty(); ++looks) {
    std::erase_if(alive, [](const auto& one) { return started_of(one.first) != one.second; });
    if (!alive.empty()) ::poll(nullptr, 0, 20);
  }
  EXPECT_TRUE(alive.empty()) << "a program of " << run_folder << " does not end when it is told to";
}

}  // namespace

std::string program(std::string_view name) {
  return std::string(POSTERN_BIN_DIR) + "/" + std::string(name);
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Finished run_program(const std::vector<std::string>& argv, const Variables& variables, std::chrono::seconds at_most,
                     const std::function<void(const std::string&)>& on_err) {
  ChildOptions options;
  options.argv = argv;
  options.environment = variables;
  options.pipe_stdout = true;
  options.pipe_stderr = true;
  Finished finished;
  auto child = ChildProcess::spawn(options);
  if (!child) {
    finished.err = child.error().text();
    return finished;
  }
  const auto until = std::chrono::steady_clock::now() + at_most;
  pollfd watched[2] = {{child->stdout_descriptor(), POLLIN, 0}, {child->stderr_descriptor(), POLLIN, 0}};
  while (std::chrono::steady_clock::now() < until && (watched[0].fd >= 0 || watched[1].fd >= 0)) {
    const int ready = ::poll(watched, 2, 100);
    if (watched[0].revents != 0 && !take(watched[0].fd, finished.out)) watched[0].fd = -1;
    if (watched[1].revents != 0) {
      if (!take(watched[1].fd, finished.err)) watched[1].fd = -1;
      if (on_err) on_err(finished.err);
    }
    if (ready == 0 && child->exit_status()) break;  // a stack that stays up may hold the pipes
  }
  const auto status =
      child->wait(std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()));
  finished.exit = status ? *status : child->stop();
  if (!status) finished.err += "(ended by the test: it took too long)\n";
  return finished;
}

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "postern-e2e-XXXXXX").string();
  path_ = ::mkdtemp(name.data()) == nullptr ? "" : name;
  EXPECT_FALSE(path_.empty());
}

Folder::~Folder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

Machine::~Machine() {
  for (const std::string& run : runs()) end_stack_of(run);
}

Variables Machine::variables() const {
  return {{"HOME", folder_.path()},
          {"XDG_STATE_HOME", state()},
          {"XDG_CONFIG_HOME", folder_.path() + "/config"},
          {"NO_COLOR", "1"}};
}

Finished Machine::lab_run(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {program("postern-lab"), "run"});
  return run_program(arguments, variables());
}

Finished Machine::postern(std::vector<std::string> arguments, Variables more) const {
  arguments.insert(arguments.begin(), program("postern"));
  for (const auto& one : variables()) {
    const bool said =
        std::any_of(more.begin(), more.end(), [&one](const auto& other) { return other.first == one.first; });
    if (!said) more.push_back(one);
  }
  return run_program(arguments, more);
}

std::vector<std::string> Machine::runs() const {
  std::vector<std::pair<fs::file_time_type, std::string>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(state() + "/postern/runs", error)) {
    if (fs::exists(entry.path() / "run.json"))
      found.emplace_back(fs::last_write_time(entry.path() / "run.json"), entry.path().string());
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> paths;
  for (const auto& one : found) paths.push_back(one.second);
  return paths;
}

std::vector<Json> Machine::model_requests() const {
  const auto all = runs();
  return all.empty() ? std::vector<Json>() : json_lines(content_of(all.back() + "/world/model_requests.jsonl"));
}

std::vector<std::pair<std::string, std::string>> files_below(const std::string& folder,
                                                             const std::vector<std::string>& except) {
  std::vector<std::pair<std::string, std::string>> files;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || std::find(except.begin(), except.end(), name) != except.end()) continue;
    files.emplace_back(entry.path().string(), content_of(entry.path().string()));
  }
  return files;
}

std::vector<Json> json_lines(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    auto json = parse_json(line, {64 << 20, 128});
    if (json) {
      lines.push_back(*std::move(json));
    } else {
      ADD_FAILURE() << "a line that is no JSON: " << line.substr(0, 80);
    }
  }
  return lines;
}

std::string line_of(const std::string& text, std::string_view begins) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(begins)) return line;
  }
  return "";
}

}  // namespace postern::e2e
