#include "wire/base/log.h"

#include <fcntl.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <memory>
#include <string>

namespace postern {
namespace {

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// Synchronous: on two cores an asynchronous logger costs the caller more, and loses lines when the process dies.
std::shared_ptr<spdlog::logger>& logger() {
  static auto instance = std::make_shared<spdlog::logger>("postern", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  return instance;
}

// A standard descriptor that is closed would be given to the next file that is opened, and what is printed would be
// written into that file. The place is taken the wrong way round, so that whoever uses it still sees an error.
void hold_standard_descriptors() {
  for (int wanted = STDIN_FILENO; wanted <= STDERR_FILENO; ++wanted) {
    if (fcntl(wanted, F_GETFD) >= 0) continue;
    const int got = open("/dev/null", wanted == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // the lowest free one: `wanted`
    if (got != wanted) _exit(2);
  }
}

}  // namespace

void start_log(std::string_view program, LogLevel lowest) {
  hold_standard_descriptors();
  logger() = std::make_shared<spdlog::logger>(std::string(program), std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger()->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %n %l: %v", spdlog::pattern_time_type::utc);
  logger()->set_level(level_of(lowest));
}

void log(LogLevel level, std::string_view line) {
  logger()->log(level_of(level), "{}", line);
}

}  // namespace postern
