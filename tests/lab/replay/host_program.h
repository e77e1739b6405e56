// The program `postern` in this process: its command line and configuration as its main reads them, what it prints
// kept.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "host/config.h"
#include "host/outside.h"
#include "wire/base/result.h"

namespace postern::lab {

struct HostOutcome {
  int exit = 0;
  std::string out;
  std::string err;
};

// `run` and `resume`, and what cannot be read as a command. `arguments`: {"run", "T-1042"}. `stop` is a first Ctrl-C.
// own.file_failed when there is no memory to print to.
[[nodiscard]] Result<HostOutcome> run_host_program(const std::vector<std::string>& arguments,
                                                   const host::Environment& environment,
                                                   const std::string& working_folder, const host::Outside& outside,
                                                   std::stop_token stop);

}  // namespace postern::lab
