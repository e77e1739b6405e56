// Runs the host in the test's own process tree and plays the supervisor in the test itself, so that a test can see what
// the browser saw.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/e2e/program_run.h"
#include "tests/lab/run_command.h"
#include "tests/lab/supervisor.h"

namespace postern::e2e {

// `postern ARGUMENTS...`; the first approval link that it prints is decided once.
[[nodiscard]] inline Finished run_supervised(const Machine& machine, std::vector<std::string> arguments,
                                             lab::Supervisor& supervisor) {
  arguments.insert(arguments.begin(), program("postern"));
  bool decided = false;
  return run_program(arguments, machine.variables(), std::chrono::seconds(40), [&](const std::string& err) {
    const std::size_t at = err.find("/approvals/APR-");
    if (decided || at == std::string::npos || err.find('\n', at) == std::string::npos) return;
    const std::size_t begin = err.rfind('\n', at) + 1;
    decided = true;
    const auto page =
        supervisor.decide(lab::approval_link_in(std::string_view(err).substr(begin, err.find('\n', at) - begin)));
    EXPECT_TRUE(page.has_value()) << page.error().text();
  });
}

}  // namespace postern::e2e
