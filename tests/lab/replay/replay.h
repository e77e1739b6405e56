// Plays a recorded run again: the host of the product, from its command line to its exit code, against recorded peers.
//
// No server runs and no socket is opened. What the host sends is compared with the recording byte for byte while it
// runs, and its whole wire log, what it printed and its exit code are compared too; the first difference is named. A
// replay is of one thread; several may go on at the same time, each in a folder of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/lab/replay/difference.h"
#include "tests/lab/replay/recorded_run.h"

namespace postern::lab {

struct ReplayTerms {
  std::string folder;  // an empty one; runs are made in it
  // Whether times, and what was printed, are compared: false for what ran by a real clock and was not watched.
  bool first_time = false;
  // Whether the recorded answers are given behind a difference too: for a recording that is made anew.
  bool go_on = false;
};

struct Replayed {
  std::optional<Difference> difference;  // the first; nothing: all is the same
  RecordedRun run;                       // what happened, in the form of a recording; cut off at a difference
  // What stood for the aliases: texts that must stand in no file.
  std::vector<std::string> secrets;
};

// Failures: lab.not_replayable (the recording has limits), own.file_failed.
[[nodiscard]] Result<Replayed> replay(const RecordedRun& run, const ReplayTerms& terms);

struct NotReplayable {
  static constexpr std::string_view kId = "lab.not_replayable";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string name;
  std::string reason;
  [[nodiscard]] std::string text() const { return "The run " + name + " cannot be played again: " + reason + "."; }
};

}  // namespace postern::lab
