#include "wire/transport/server_program.h"

#include <cstdio>
#include <vector>

#include "wire/base/log.h"
#include "wire/transport/launch.h"

namespace postern {
namespace {

constexpr int kExitUsage = 2;

int print(std::FILE* file, std::string_view text, int status) {
  std::fwrite(text.data(), 1, text.size(), file);
  return status;
}

}  // namespace

int run_server_program(const ServerProgram& program, int count, char** arguments) {
  const std::vector<std::string_view> words(arguments + 1, arguments + count);
  if (words.size() == 1 && words[0] == "--help") return print(stdout, program.usage, 0);
  if (words.size() == 1 && words[0] == "--version") return print(stdout, std::string(program.name) + " 0.1.0\n", 0);
  if (words.size() != 3 || words[0] != "serve" || words[1] != "--config") {
    return print(stderr, program.usage, kExitUsage);
  }
  start_log(program.name, LogLevel::kInfo);
  prepare_signals();
  const Status served = program.serve(std::string(words[2]));
  if (served) return 0;
  log_error(served.error().text());
  return kExitUsage;
}

}  // namespace postern
