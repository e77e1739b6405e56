// Whether a log goes as far as its run did.

#include <algorithm>
#include <array>

#include "tests/lab/grade/invariants/evidence.h"
#include "tests/lab/grade/invariants/run_view.h"
#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

constexpr int kPinRefused = 5;

struct OutcomeExits {
  std::string_view outcome;
  std::array<int, 4> never;  // exit codes that it does not go with
};
// host/report.cc: what each outcome cannot end with. 0: done, 5: a tool refused, 6: refused, 8: pending.
constexpr OutcomeExits kOutcomes[] = {
    {"refunded", {6, 8, 130, 143}}, {"no_refund", {6, 8, 130, 143}}, {"refused", {0, 8, 130, 143}},
    {"pending", {0, 5, 130, 143}},  {"unknown", {0, 5, 6, 8}},       {"stopped", {0, 5, 6, 8}},
    {"failed", {0, 0, 0, 0}},
};

BadEvidence bad(const Evidence& evidence, std::string reason) {
  return BadEvidence{visible_line(evidence.name, 200), std::move(reason)};
}

}  // namespace

Status check_outcome(const Evidence& evidence) {
  for (const OutcomeExits& row : kOutcomes) {
    if (row.outcome != evidence.outcome || !evidence.exit) continue;
    if (std::find(row.never.begin(), row.never.end(), *evidence.exit) != row.never.end())
      return bad(evidence, "the outcome " + evidence.outcome + " and the exit code " + std::to_string(*evidence.exit) +
                               " do not go together");
  }
  return {};
}

Status check_ended(const Evidence& evidence) {
  const RunView view = view_of(evidence);
  const std::string reason = "the log ends before the run does: ";
  if (view.turns.empty()) return bad(evidence, reason + "no turn of the model is in it");
  const ModelTurn& last = view.turns.back();
  if (!last.uses.empty()) return bad(evidence, reason + "the model's last turn is not in it");
  bool reads = false;
  bool read_last = false;
  for (const ServerCall* call : view.desk_calls()) {
    if (!call->is_call_of("get_order")) continue;
    reads = true;
    if (call->request->seq > last.request->seq && call->response != nullptr) read_last = true;
  }
  // A desk whose get_order was refused by its pin is not read.
  if (!reads && evidence.exit == kPinRefused) return {};
  if (!read_last) return bad(evidence, reason + "the last read of the order is not in it");
  return {};
}

}  // namespace postern::lab
