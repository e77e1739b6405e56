#include "tests/lab/replay/host_program.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>
#include <variant>

#include "host/cli.h"
#include "host/interrupt.h"
#include "host/run_command.h"
#include "host/terminal.h"
#include "wire/base/file.h"

namespace postern::lab {
namespace {

// A file that is nowhere, to print to.
class PrintedText {
 public:
  explicit PrintedText(const char* name) : descriptor_(::memfd_create(name, MFD_CLOEXEC)) {}
  PrintedText(const PrintedText&) = delete;
  PrintedText& operator=(const PrintedText&) = delete;
  ~PrintedText() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::string text() const {
    std::string text;
    char buffer[16 * 1024];
    ::lseek(descriptor_, 0, SEEK_SET);
    for (ssize_t got = 0; (got = ::read(descriptor_, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(got));
    return text;
  }

 private:
  int descriptor_;
};

host::ExitCode dispatch(const std::vector<std::string>& arguments, const host::Environment& environment,
                        const std::string& working_folder, const host::Outside& outside, std::stop_token stop,
                        const host::TerminalStreams& streams) {
  std::vector<const char*> argv{"postern"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  host::Terminal plain(host::TerminalOptions{}, streams);
  const auto line = host::parse_command_line(static_cast<int>(argv.size()), argv.data());
  if (!line) {
    plain.err(line.error().text());
    return host::exit_code_of(line.error());
  }
  const auto config = host::load_config({line->flags, environment, working_folder});
  if (!config) {
    plain.err(config.error().text());
    return host::exit_code_of(config.error());
  }
  host::Terminal terminal(config->terminal, streams);
  const host::Interrupt interrupt(std::move(stop));
  const host::CommandContext context{*config, environment, terminal, interrupt, outside};
  if (const auto* run = std::get_if<host::RunCommand>(&line->command)) return host::run_command(context, *run);
  if (const auto* again = std::get_if<host::ResumeCommand>(&line->command))
    return host::resume_command(context, *again);
  plain.err("Only run and resume are played.");
  return host::ExitCode::kUsage;
}

}  // namespace

Result<HostOutcome> run_host_program(const std::vector<std::string>& arguments, const host::Environment& environment,
                                     const std::string& working_folder, const host::Outside& outside,
                                     std::stop_token stop) {
  const PrintedText out("stdout");
  const PrintedText err("stderr");
  const int in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (out.descriptor() < 0 || err.descriptor() < 0 || in < 0)
    return FileFailed{"stdout", "make", std::generic_category().message(errno), errno};
  const host::TerminalStreams streams{in, out.descriptor(), err.descriptor(), true};
  const host::ExitCode exit = dispatch(arguments, environment, working_folder, outside, std::move(stop), streams);
  ::close(in);
  return HostOutcome{static_cast<int>(exit), out.text(), err.text()};
}

}  // namespace postern::lab
