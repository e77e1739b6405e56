// What a log shows of refunds: which stood there before, which decisions were asked for, which receipts came, and which
// calls were lost on their way back.
//
// Points into the view that it was made of, which must outlive it. Plain values.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/lab/grade/invariants/judgement.h"
#include "tests/lab/grade/invariants/run_view.h"

namespace postern::lab {

struct RefundsSeen {
  std::vector<const ServerCall*> receipts;
  std::map<std::string, const ServerCall*> by_id;  // receipts by refund
  std::set<std::string> earlier;                   // refunds that an order read showed before any was asked for
  std::set<std::string> shown;                     // refunds that any order read showed
  std::set<std::string> asked;                     // approvals that the desk said wait for a person
  // Approvals whose call got no answer, with the host's note that the outcome is not known: the money may have moved.
  std::set<std::string> lost;
  const ServerCall* last_order = nullptr;  // the last read that had the refunds from payments
  const ServerCall* policy = nullptr;      // the last one that was read

  // A row of payments that is this run's: by its approval, not by when it was made.
  [[nodiscard]] bool owns(const Evidence& evidence, const Json& row) const;
};
[[nodiscard]] RefundsSeen refunds_seen(const Evidence& evidence, const RunView& view);
// A receipt for each refund that the record of the run or what it printed names.
void judge_claims(const Evidence& evidence, const RefundsSeen& seen, Judgement& judgement);

}  // namespace postern::lab
