// What postern-desk does, one function a subcommand. Each returns the exit code: 0 done, 1 the answer is no, 2 wrong
// use or configuration. Messages go to the log on stderr; stdout carries MCP (stdio) or the answer (show) and nothing
// else.
#pragma once

#include <string>

namespace postern::desk {

// Over HTTP until told to stop.
[[nodiscard]] int serve(const std::string& config);
// Over stdio until the end of stdin. Without a folder: a seeded world of its own in a temporary one, which is removed
// at the end. `older_era`: clients that open with `initialize` are answered too.
[[nodiscard]] int serve_stdio(const std::string& person, const std::string& ticket, const std::string& database_dir,
                              bool older_era);
// Fills the empty databases of a folder with the synthetic world.
[[nodiscard]] int seed(const std::string& database_dir);
// Prints the facts of one ticket.
[[nodiscard]] int show(const std::string& ticket, const std::string& database_dir);

}  // namespace postern::desk
