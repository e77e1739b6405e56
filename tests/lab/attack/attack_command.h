// postern-lab attack: the twelve attacks against the product, a starter configuration, or somebody else's server; and
// with --mutate, against our own desk with its controls taken away.
#pragma once

#include <string>
#include <vector>

#include "tests/lab/report/report_files.h"

namespace postern::lab {

struct AttackOptions {
  std::vector<std::string> attacks;  // "A1"; empty or "all": all of them
  std::string server;                // URL of somebody else's MCP endpoint; then `profile` is required
  std::string profile;               // file: issuer, people, how to get tokens (docs/lab/profiles.md)
  std::string starter;               // "lab1", or a file: which controls are removed
  bool keep_going = true;
  std::string program_folder;
  ReportOptions reports;
};
// The exit code: 0 all blocked, 1 one got through, 2 wrong use, 3 one could not run.
[[nodiscard]] int attack_command(const AttackOptions& options);

}  // namespace postern::lab
