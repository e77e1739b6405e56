// In which of its view states a request is, from the record, the clock and payments; and the sentence that says so.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/approvals/approval_request.h"
#include "services/approvals/html.h"
#include "services/payments_client/payments_client.h"

namespace postern::approvals {

enum class Stage {
  kPending,
  kApprovedUnused,   // waits for the requester's run
  kApprovedUnknown,  // payments cannot be asked: nobody knows yet
  kPaid,
  kLapsed,
  kPaymentRefused,
  kDenied,
  kExpired,
  kWithdrawn,
};

struct StageView {
  Stage stage = Stage::kPending;
  std::string_view status;      // as in /state: "pending", "approved", ...
  std::string_view token;       // as in /state: "none", "unspent", "unknown", "spent", "lapsed", "refused"
  std::string_view title_word;  // "Pending", begins the page's title
  std::string_view look;        // class of the status line: "good", "bad" or ""
  std::string_view mark;        // a sign beside the words
  Html sentence;
  std::optional<Seconds> left;  // to decide, or to use the decision
  // Nothing can change it any more.
  [[nodiscard]] bool final() const {
    return stage != Stage::kPending && stage != Stage::kApprovedUnused && stage != Stage::kApprovedUnknown;
  }
};

// `money`: null when payments could not be asked; looked at for approved requests only.
[[nodiscard]] StageView stage_of(const ApprovalRequest& request, const services::PaymentState* money, WallTime now);

}  // namespace postern::approvals
