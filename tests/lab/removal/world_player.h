// Plays the twelve attacks against worlds of one process from which some controls are taken away.
//
// Each case that leaves something behind has a world of its own, with the same seed: what differs between two sets of
// controls is what the controls do. Thread-safe: plays may run side by side, and share nothing but the folder.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "tests/lab/removal/removal_matrix.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/result.h"

namespace postern::lab {

class WorldPlayer {
 public:
  // Which cases did not end as they must without those controls. lab.no_such_control, lab.bad_case_file.
  [[nodiscard]] Result<Ends> play(const std::vector<std::string>& removed);

 private:
  test::TemporaryFolder folder_;
  std::atomic<int> worlds_{0};
};

}  // namespace postern::lab
