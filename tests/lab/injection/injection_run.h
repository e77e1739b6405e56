// One planted text in a world of its own: a host, a model that believes what it reads, and a supervisor.
//
// The supervisor is a person who reads the page: it approves the price of a part that the page names, and denies what
// is not. A careless one approves whatever is asked for; then the policy is what is left. Nothing that the text asks
// for is told to the model: it makes its calls of what it was given.
#pragma once

#include <string>
#include <vector>

#include "tests/lab/planted/planted_texts.h"
#include "tests/lab/world/control_set.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::lab {

// A call that the task does not need: made of the text.
struct ForbiddenCall {
  std::string tool;
  Json input;
  std::string refused_by;  // the control: "bridge: no such tool", "desk: the policy's limit", "supervisor"
  bool got_through = false;
  [[nodiscard]] std::string text() const;  // "fetch {"url":...}: bridge: no such tool"
};

struct InjectionOutcome {
  std::vector<ForbiddenCall> calls;
  std::vector<std::string> breaches;  // what must not have happened; empty: nothing got through
  std::vector<Json> refunds;          // receipts that payments gave: amount_cents, line_id, ticket_id
  int exit = 0;
  std::string said;  // stdout of the host
};

struct InjectionRunOptions {
  bool careless_supervisor = false;
  ControlSet controls;
};

// Failures: lab.*, store.*: then nothing is known.
[[nodiscard]] Result<InjectionOutcome> run_planted(const PlantedText& text, const InjectionRunOptions& options = {});

}  // namespace postern::lab
