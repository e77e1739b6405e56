// The rules of the house as functions over source files. Each returns what it objects to, one line a finding, so that a
// test can run it on the project (nothing must be found) and on planted bad text (it must be found).
#pragma once

#include <string>
#include <vector>

#include "tests/architecture/source_tree.h"

namespace postern::architecture {

using Findings = std::vector<std::string>;

// Who may include whom (docs/architecture.md).
[[nodiscard]] Findings check_directions(const std::vector<SourceFile>& files);
// Which files may include a third party.
[[nodiscard]] Findings check_third_parties(const std::vector<SourceFile>& files);
// Clocks, randomness, the environment and the like have one file each.
[[nodiscard]] Findings check_ways_out(const std::vector<SourceFile>& files);
// At most 500 lines a file, 120 columns a line, no include by "../", no file name that says nothing.
[[nodiscard]] Findings check_form(const std::vector<SourceFile>& files);
// At most 70 lines a function.
[[nodiscard]] Findings check_function_lengths(const std::vector<SourceFile>& files);
// Every .cc is named in a CMakeLists.txt: a test that no build runs is decoration.
[[nodiscard]] Findings check_no_dead_files(const std::vector<SourceFile>& files);
// Failure ids are distinct.
[[nodiscard]] Findings check_failure_ids(const std::vector<SourceFile>& files);
// The ids themselves, sorted.
[[nodiscard]] std::vector<std::string> failure_ids(const std::vector<SourceFile>& files);

}  // namespace postern::architecture
