// Paying an approved refund, and finding out whether it was paid when the answer is lost.
//
// Payments is the only one who knows what was paid. When its answer does not come it is asked, the same refund is sent
// once more if it knows nothing of it (which pays once however often it arrives), and only what it says is said. When
// it cannot be asked the outcome is refund.money_unknown, never a guess.
#pragma once

#include <string>

#include "services/approvals_client/approvals_client.h"
#include "services/desk/desk_parts.h"
#include "services/domain/ids.h"
#include "services/domain/refund_action.h"
#include "services/domain/refund_receipt.h"
#include "wire/base/money.h"
#include "wire/base/result.h"

namespace postern::desk {

// An approval as approvals answered it, checked against the call.
struct ApprovedAction {
  services::ApprovalId approval_id;
  services::RefundAction action;
  std::string request_digest;
  const services::ApprovalToken& token;
};

// Failures: refund.service_refused (payments said no), refund.money_unknown.
[[nodiscard]] Result<services::RefundReceipt> pay_refund(const DeskParts& desk, const ApprovedAction& approved);

// What payments knows of an approval that cannot be paid on now. The receipt when it was paid; `otherwise` when
// payments knows of no refund; refund.service_refused and refund.money_unknown as above. `amount` is for the sentence.
[[nodiscard]] Result<services::RefundReceipt> find_refund(const DeskParts& desk,
                                                          const services::ApprovalId& approval_id,
                                                          const std::string& amount, const Failure& otherwise);

}  // namespace postern::desk
