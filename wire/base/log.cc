#include "wire/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

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

}  // namespace

void start_log(std::string_view program, LogLevel lowest) {
  logger() = std::make_shared<spdlog::logger>(std::string(program), std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger()->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %n %l: %v", spdlog::pattern_time_type::utc);
  logger()->set_level(level_of(lowest));
}

void log(LogLevel level, std::string_view line) {
  logger()->log(level_of(level), "{}", line);
}

}  // namespace postern
