// The format of fixtures/runs/NAME.run: a line of JSON each, in the order in which things happened (docs/replay.md).
//
//   {"kind":"run","format":"postern.run/1","name":"happy","scenario":"happy","ticket":"T-1042","seed":"1",
//    "clock":"2026-11-30T02:45:12.104Z","origins":{"desk":"127.0.0.1:4310"},"limits":[]}
//   {"kind":"secret","number":1,"prefix":"eyJ","bytes":612}
//   {"kind":"leg","arguments":["run","T-1042"],"stopped_at_wait":0}
//   {"kind":"bytes",...} {"kind":"note",...} {"kind":"failed",...}
//   {"kind":"out","text":"..."} {"kind":"err","text":"..."} {"kind":"end","exit":0,"printed":true}
//   {"kind":"seal","sha256":"..."}
//
// The kinds and the members of each are closed: an unknown one is an error, as is a line out of its order. The seal is
// over all that stands before it: a recording that was changed by hand is refused, also where no replay could see it.
#pragma once

#include <string>
#include <string_view>

#include "tests/lab/replay/recorded_run.h"

namespace postern::lab {

enum class Seal {
  kChecked,
  kLeft,  // for whoever rewrites the file
};
// `file` is for messages. lab.bad_run_file.
[[nodiscard]] Result<RecordedRun> parse_run_file(std::string_view file, std::string_view text,
                                                 Seal seal = Seal::kChecked);
// What parse_run_file() reads, byte for byte.
[[nodiscard]] std::string run_file_text(const RecordedRun& run);

}  // namespace postern::lab
