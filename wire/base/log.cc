#include "wire/base/log.h"

#include <fcntl.h>
#include <poll.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>

#include "wire/base/mutex.h"

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

// How long one line waits for a reader of stderr. Once a line has waited in vain none does, until there is room again.
constexpr int kPatienceMs = 100;
// What a pipe takes whole once poll(2) says that it is writable (pipe(7)), less the beginning of a line.
constexpr std::size_t kLineBytesMax = 3900;

// Whether stderr takes a line now. An error counts as room: the write then fails at once.
bool stderr_takes_a_line(int patience_ms) {
  pollfd wait{STDERR_FILENO, POLLOUT, 0};
  return poll(&wait, 1, patience_ms) != 0;
}

struct Unread {
  Mutex mutex;
  std::uint64_t lines POSTERN_GUARDED_BY(mutex) = 0;  // dropped since the last that was written
};

Unread& unread() {
  static Unread instance;
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
  if (!logger()->should_log(level_of(level))) return;
  Unread& dropped = unread();
  const MutexLock lock(dropped.mutex);
  bool has_room = stderr_takes_a_line(dropped.lines == 0 ? kPatienceMs : 0);
  if (has_room && dropped.lines > 0) {
    logger()->log(level_of(level), "{} lines of this log were dropped, because nobody read it", dropped.lines);
    dropped.lines = 0;
    has_room = stderr_takes_a_line(0);
  }
  if (!has_room) {
    ++dropped.lines;
    return;
  }
  logger()->log(level_of(level), "{}", line.substr(0, kLineBytesMax));
}

}  // namespace postern
