// `postern-lab interop`: the matrix of who can talk with whom, from real runs of programs that nobody here wrote
// (tests/peers/interop.mjs).
#pragma once

#include <string>

namespace postern::lab {

struct InteropOptions {
  std::string program_folder;  // where postern and postern-desk are
  std::string client;          // one host only; empty: all
  std::string server;          // one server only; empty: all
  bool claude = false;         // Claude Code too
  bool json = false;
};

// Becomes the script. Returns only when that did not work: 3, after a line on stderr.
[[nodiscard]] int run_interop(const InteropOptions& options);

}  // namespace postern::lab
