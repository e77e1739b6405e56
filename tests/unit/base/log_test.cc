// Proves that a program that was started without its standard descriptors opens no file in their place, and that nobody
// who does not read a log holds the program up.
#include "wire/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace postern {
namespace {

// Run in a process of its own: the first descriptor that a file gets after start_log(), and whether the closed one
// still answers with an error.
[[noreturn]] void start_without(int descriptor) {
  close(descriptor);
  start_log("started", LogLevel::kError);
  const int file = open("/dev/null", O_RDWR);
  char byte = 'x';
  const ssize_t moved = descriptor == STDIN_FILENO ? read(descriptor, &byte, 1) : write(descriptor, &byte, 1);
  _exit(file > STDERR_FILENO && moved == -1 && errno == EBADF ? 0 : 1);
}

TEST(StartLog, LetsNoFileTakeThePlaceOfAClosedStandardDescriptor) {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    EXPECT_EXIT(start_without(descriptor), testing::ExitedWithCode(0), "") << descriptor;
  }
}

TEST(StartLog, LeavesOpenStandardDescriptorsAlone) {
  const auto start = [] {
    start_log("started", LogLevel::kError);
    _exit(fcntl(STDOUT_FILENO, F_GETFD) >= 0 && write(STDERR_FILENO, "seen", 4) == 4 ? 0 : 1);
  };
  EXPECT_EXIT(start(), testing::ExitedWithCode(0), "seen");
}

// Run in a process of its own, with a pipe for its stderr: logs more than the pipe holds while nobody reads, then reads
// it empty. Writes what came at last to where stderr was.
[[noreturn]] void log_into_a_full_pipe() {
  start_log("started", LogLevel::kError);
  int ends[2];
  const int before = dup(STDERR_FILENO);
  if (pipe(ends) != 0 || dup2(ends[1], STDERR_FILENO) < 0) _exit(1);
  for (int i = 0; i < 1000; ++i) log_error(std::string(5000, 'l'));  // would stand still here
  std::string read_back(1 << 20, '\0');
  if (read(ends[0], read_back.data(), read_back.size()) < 1) _exit(1);
  log_error("again");
  const ssize_t size = read(ends[0], read_back.data(), read_back.size());
  if (size < 1 || write(before, read_back.data(), static_cast<std::size_t>(size)) != size) _exit(1);
  _exit(0);
}

TEST(Log, IsDroppedAndCountedWhileNobodyReadsIt) {
  EXPECT_EXIT(log_into_a_full_pipe(), testing::ExitedWithCode(0), "9[0-9][0-9] lines of this log were dropped.*again");
}

}  // namespace
}  // namespace postern
