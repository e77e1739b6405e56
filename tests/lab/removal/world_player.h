// Plays the twelve attacks against worlds of one process from which some controls are taken away.
//
// Each case that leaves something behind has a world of its own, with the same seed: what differs between two sets of
// controls is what the controls do. Thread-safe: plays may run side by side, and share nothing but the folder.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "tests/lab/removal/removal_matrix.h"
#include "wire/base/result.h"

namespace postern::lab {

class WorldPlayer {
 public:
  // Its folder is in memory where the system has such a place: thousands of databases need not outlive anything.
  WorldPlayer();
  ~WorldPlayer();
  WorldPlayer(const WorldPlayer&) = delete;
  WorldPlayer& operator=(const WorldPlayer&) = delete;

  // Those cases, or all, without those controls: how each ended, and which controls objected.
  // lab.no_such_control, lab.bad_case_file.
  [[nodiscard]] Result<Played> play(const std::vector<std::string>& removed,
                                    const std::vector<std::string>& cases = {});

 private:
  std::string folder_;
  std::atomic<int> worlds_{0};
};

}  // namespace postern::lab
