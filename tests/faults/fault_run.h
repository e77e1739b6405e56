// One run with one fault in a world of its own, and what could be seen of it: on the ladder, at the desk's screen, by
// the model, in the exit code and in the books of payments.
//
// The facts are read from where they stand: the rung from the run's own wire log, the money from the database of
// payments, never from what a model or the report says. Text that differs from run to run (folders, run ids, the nonce,
// milliseconds of a real process) has aliases. One thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/faults/fault_list.h"
#include "wire/base/result.h"

namespace postern::faults {

// What a model was given as the answer to one of its calls.
struct Told {
  std::string tool;
  bool is_error = false;
  std::string text;
};

struct FaultFacts {
  std::string first_seen;  // a rung's name; "own" when the ladder shows nothing
  std::string failure;     // the id of what ended or marked the run, or "success"
  std::string out;         // stdout
  std::string err;         // stderr
  int exit = 0;
  std::vector<std::string> offered;  // the tools that the model was shown
  std::vector<Told> told;            // in the order of its calls
  std::vector<std::string> refunds;  // "RF-0001 4800 USD": what payments has for the ticket
  std::vector<std::string> removed;  // controls that were not there
  std::string attack;                // what the attack came to without them; empty for other faults
};

struct FaultPlace {
  std::string folder;       // must exist and be empty; worlds are made in it
  std::string lab_program;  // absolute path of postern-lab, for the faults of lines
  std::string ticket;       // empty: the fault's own
};

// Failures: those of LabWorld; lab.fault_not_run when the run left nothing to read.
[[nodiscard]] Result<FaultFacts> run_fault(const Fault& fault, const FaultPlace& place);
// The same run without any fault: the nearest case that is allowed.
[[nodiscard]] Result<FaultFacts> run_without_fault(const FaultPlace& place);

struct FaultNotRun {
  static constexpr std::string_view kId = "lab.fault_not_run";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  std::string fault;
  std::string reason;
  [[nodiscard]] std::string text() const { return "The fault " + fault + " could not be run: " + reason; }
};

}  // namespace postern::faults
