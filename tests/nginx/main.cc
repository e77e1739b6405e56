// Without nginx nothing can be said about what it does: ctest shows the test as skipped (exit 77).
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>

#include "tests/nginx/front.h"

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  std::signal(SIGPIPE, SIG_IGN);
  const std::string missing = postern::nginx::missing_program();
  if (missing.empty()) return RUN_ALL_TESTS();
  std::printf("nginx: skipped, %s is not installed here\n", missing.c_str());
  constexpr int kSkipped = 77;
  return kSkipped;
}
