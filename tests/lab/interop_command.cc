#include "tests/lab/interop_command.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <vector>

namespace postern::lab {

int run_interop(const InteropOptions& options) {
  constexpr int kCouldNotRun = 3;
  const std::string folder = std::string(POSTERN_SOURCE_DIR) + "/tests/peers";
  std::vector<std::string> arguments = {folder + "/run.sh", "", folder + "/interop.mjs"};
  if (!options.client.empty()) arguments.insert(arguments.end(), {"--client", options.client});
  if (!options.server.empty()) arguments.insert(arguments.end(), {"--server", options.server});
  if (options.claude) arguments.emplace_back("--claude");
  if (options.json) arguments.emplace_back("--json");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  ::setenv("POSTERN_BIN", options.program_folder.c_str(), 1);
  ::execv(argv.front(), argv.data());
  std::cerr << "The matrix needs the source tree that this program was built from: " << arguments.front()
            << " could not be started.\n";
  return kCouldNotRun;
}

}  // namespace postern::lab
