// POSTERN_CHECK(condition): for mistakes of the programmer only, on in every build. Ends the process with the file and
// line on stderr. Never for anything that a peer, a person or a file can cause: that is a Failure.
#pragma once

namespace postern {
[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;
}  // namespace postern

#ifdef __FILE_NAME__
#define POSTERN_FILE_NAME __FILE_NAME__
#else
#define POSTERN_FILE_NAME (__builtin_strrchr("/" __FILE__, '/') + 1)
#endif

#define POSTERN_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::postern::check_failed(#condition, POSTERN_FILE_NAME, __LINE__))
