// Diagnostics, to stderr, one line each. For operators of the servers; what a person at the command line reads is
// printed by host/terminal, not here. Never to stdout: a stdio server's stdout carries MCP messages only.
//
// A reader that does not read holds nobody up: lines that stderr does not take are dropped and counted, and the count
// is logged once it takes some again. A line is cut at 3,900 bytes. Thread-safe.
//
// A Secret cannot be passed: it does not convert to a string. Text of a peer must have passed visible_line().
#pragma once

#include <string_view>

namespace postern {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

// Sets the program's name in each line, and the lowest level that is written. Call once, first thing in main: it also
// sees to it that no file takes the place of a standard descriptor that the program was started without.
void start_log(std::string_view program, LogLevel lowest);
void log(LogLevel level, std::string_view line);
inline void log_info(std::string_view line) {
  log(LogLevel::kInfo, line);
}
inline void log_warning(std::string_view line) {
  log(LogLevel::kWarning, line);
}
inline void log_error(std::string_view line) {
  log(LogLevel::kError, line);
}

}  // namespace postern
