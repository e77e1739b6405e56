// A request as people see it: the facts in their fixed order, what a model wrote in its dashed box, and the history.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/approvals/approval_request.h"
#include "services/approvals/audit_trail.h"
#include "services/approvals/case_facts.h"
#include "services/approvals/html.h"
#include "services/approvals/request_stage.h"

namespace postern::approvals {

// What one rendering of a request stands on.
struct RequestFacts {
  ApprovalRequest request;
  StageView stage;
  std::optional<CaseView> view;                                 // nothing: the services could not be read
  std::optional<std::vector<services::RefundReceipt>> refunds;  // of the order; nothing: payments could not be asked
  std::string requester_role;                                   // "operator"; empty when not known
  // Why approve is not offered, as a sentence; nothing when it may be. Looked at for pending requests only.
  std::optional<std::string> blocked;
};

// The status line: a sign, the words, the time left.
[[nodiscard]] Html status_line(const StageView& stage);
// $48.00, and below it "4800 cents, USD": the pair must agree.
[[nodiscard]] Html amount_block(const Money& amount);
// The whole list of facts, the model's reason, the arguments, the digest.
[[nodiscard]] Html fact_list(const RequestFacts& facts);
// The few that a decision page repeats: customer, order, ticket, digest.
[[nodiscard]] Html short_fact_list(const ApprovalRequest& request);
[[nodiscard]] Html history_list(const std::vector<AuditRow>& rows);
// "Pending: refund $48.00 on ORD-5521".
[[nodiscard]] std::string title_of(const RequestFacts& facts);

}  // namespace postern::approvals
