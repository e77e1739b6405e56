// Who a request to the page comes from, and what that person is to one approval request. Found out anew each time: the
// session is only a pointer to a token, and a right that is gone is gone at once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "services/approvals/approval_page.h"
#include "services/approvals/page_layout.h"
#include "services/approvals/request_view.h"

namespace postern::approvals {

struct PageVisit {
  std::shared_ptr<PageSession> session;
  std::shared_ptr<const services::VerifiedAccessToken> token;
  StaffMember member;  // without desks for somebody who works at none

  [[nodiscard]] services::PersonKey person() const {
    return {token->principal().issuer(), token->principal().subject()};
  }
  [[nodiscard]] PageVisitor visitor() const;
  [[nodiscard]] bool may_approve() const { return token->scopes().contains("refunds:approve"); }
};

// `approval.signed_out` without a live session, or when its token is over; gate.keys_unavailable and store.* as they
// are.
[[nodiscard]] Result<PageVisit> visit_of(const ApprovalPageParts& parts, const HttpRequest& request, bool is_use);

// A request that concerns the visitor, and how.
struct ConcernedRequest {
  ApprovalRequest request;
  bool requester = false;
  bool supervisor = false;
};
// `approval.no_such_request` for an id of a wrong form, an unknown one, and one that does not concern the visitor.
[[nodiscard]] Result<ConcernedRequest> concerned_request(const ApprovalPageParts& parts, const PageVisit& visit,
                                                         std::string_view id);
// All that a rendering needs, read now from the services and payments.
[[nodiscard]] RequestFacts facts_of(const ApprovalPageParts& parts, const ApprovalRequest& request);

struct SignedOut {
  static constexpr std::string_view kId = "approval.signed_out";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kMissingToken;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::approvals
