// Proves that a program that was started without its standard descriptors opens no file in their place.
#include "wire/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

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

}  // namespace
}  // namespace postern
