#include "services/approvals/page_visit.h"

#include "services/approvals/failures.h"

namespace postern::approvals {

PageVisitor PageVisit::visitor() const {
  return {.name = token->principal().display_name(),
          .supervisor = member.supervisor,
          .logout_form_token = FormTokens::make(*session, "logout", "")};
}

Result<PageVisit> visit_of(const ApprovalPageParts& parts, const HttpRequest& request, bool is_use) {
  std::shared_ptr<PageSession> session = parts.sessions.find(request, is_use);
  if (session == nullptr) return SignedOut{};
  auto token = parts.gate.verify(session->token(), services::KeyAccess::kMayFetch);
  if (!token) {
    if (token.error().disposition() == Disposition::kUnavailable) return token.error();
    return SignedOut{};
  }
  POSTERN_TRY(std::optional<StaffMember> member, parts.staff.find((*token)->principal().subject()));
  return PageVisit{std::move(session), *std::move(token), member.value_or(StaffMember{})};
}

Result<ConcernedRequest> concerned_request(const ApprovalPageParts& parts, const PageVisit& visit,
                                           std::string_view id) {
  const auto approval_id = services::read_id<services::ApprovalId>(id);
  if (!approval_id) return NoSuchRequest{};
  POSTERN_TRY(ApprovalRequest request, parts.store.find(*approval_id));
  ConcernedRequest concerned{.request = std::move(request), .requester = false, .supervisor = false};
  concerned.requester = concerned.request.asked.requester == visit.person();
  concerned.supervisor = visit.member.supervises(concerned.request.asked.desk);
  if (!concerned.requester && !concerned.supervisor) return NoSuchRequest{};
  return concerned;
}

RequestFacts facts_of(const ApprovalPageParts& parts, const ApprovalRequest& request) {
  const WallTime now = parts.env.clock.now();
  services::PaymentState money;
  bool money_known = true;
  if (request.status == RequestStatus::kApproved) {
    auto state = parts.money.of_approval(request.id);
    money_known = state.has_value();
    if (state) money = *std::move(state);
  }
  RequestFacts facts{.request = request,
                     .stage = stage_of(request, money_known ? &money : nullptr, now),
                     .view = std::nullopt,
                     .refunds = std::nullopt,
                     .requester_role = {},
                     .blocked = std::nullopt};
  auto view = parts.facts.read(request.asked.action);
  if (view) facts.view = *std::move(view);
  auto refunds = parts.money.of_order(request.asked.action.order_id);
  if (refunds) facts.refunds = *std::move(refunds);
  auto requester = parts.staff.find(request.asked.requester.subject);
  if (requester && *requester) facts.requester_role = (*requester)->supervisor ? "supervisor" : "operator";
  if (!facts.view) {
    facts.blocked = "The case cannot be read now, so what was asked for cannot be compared with it.";
  } else if (!facts.refunds) {
    facts.blocked = "Payments cannot be asked now, so what was paid back before is not known.";
  } else {
    facts.blocked = difference(request, *facts.view, *facts.refunds);
  }
  return facts;
}

std::string SignedOut::text() const {
  return "You are signed out. Nothing was decided. Sign in to see this request.";
}

}  // namespace postern::approvals
