// postern-lab replay FIXTURE…: the host runs against recorded peers, byte for byte, and the first difference is named
// by entry, layer and field. postern-lab record: a finished run of the product, or a scenario of the laboratory, as a
// fixture without secrets.
#pragma once

#include <string>
#include <vector>

#include "tests/lab/report/report_files.h"

namespace postern::lab {

struct ReplayOptions {
  std::vector<std::string> fixtures;  // files or folders; empty: fixtures/runs of the source tree
  bool update = false;                // rewrite what differs, and print the difference
  int jobs = 2;
  ReportOptions reports;
};
[[nodiscard]] int replay_command(const ReplayOptions& options);

struct RecordOptions {
  std::string run;       // a run id of the product, or empty
  std::string scenario;  // of the laboratory ("happy"), or empty
  std::string out;       // the fixture to write; "-": stdout
};
[[nodiscard]] int record_command(const RecordOptions& options);

}  // namespace postern::lab
