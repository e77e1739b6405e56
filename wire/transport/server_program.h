// The command line that every server program of ours has: --help, --version, and serve --config FILE|-
// (wire/transport/launch.h).
#pragma once

#include <string>
#include <string_view>

#include "wire/base/result.h"

namespace postern {

struct ServerProgram {
  std::string_view name;                       // "postern-issuer"
  std::string_view usage;                      // printed whole for --help, and on stderr for what is not understood
  Status (*serve)(const std::string& config);  // runs until it is told to stop; its failure is told on stderr
};

// The exit status: 0 after --help, --version or an orderly stop, 2 for wrong use and for a configuration that cannot be
// served.
[[nodiscard]] int run_server_program(const ServerProgram& program, int count, char** arguments);

}  // namespace postern
