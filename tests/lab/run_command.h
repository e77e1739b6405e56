// postern-lab run TICKET: the product's own host as a child, and beside it a scripted supervisor.
//
// The host's output goes through as it comes. The one thing read out of it is the approval link, which a person would
// read too; what the supervisor does with it, it does over HTTP. The exit code is the host's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/supervisor.h"

namespace postern::lab {

struct RunOptions {
  std::string ticket;
  std::optional<Decision> supervisor;  // nothing: nobody decides
  std::string note;                    // of a denial
  std::string model_script;            // empty: the host's own choice
  std::vector<std::string> host_arguments;
  std::string host_program;  // path of `postern`
};

// The host's exit code; 3 when it cannot be started or the supervisor came to no decision.
int run_ticket(const RunOptions& options);

// The link in a line of the host: an http URL of this machine whose path ends in an approval's id. Empty when there is
// none.
[[nodiscard]] std::string approval_link_in(std::string_view line);

}  // namespace postern::lab
