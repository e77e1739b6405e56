// Every check of postern-approvals about who may decide, press and redeem, as rows of tables that its composer passes
// whole. The laboratory passes a table minus a row to see which attack that row stops; no flag, environment variable or
// `if` leaves one out.
//
// Rows run in the order in which they stand, and the first that objects decides the failure. Pure, but for `staff`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "services/approvals/approval_request.h"
#include "services/approvals/desk_staff.h"
#include "services/approvals/page_session.h"
#include "services/gate/token_verifier.h"
#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/http_message/http_message.h"

namespace postern::approvals {

struct Decision;  // approval_store.h

struct DecisionCheckContext {
  const ApprovalRequest& request;
  const services::VerifiedAccessToken& decider;
  const DeskStaff& staff;
  const Decision& decision;
  WallTime now;
};
struct DecisionCheck {
  std::string_view name;
  Status (*run)(const DecisionCheckContext& context);
};
// "requester": the decider is somebody else. "desk": supervises the request's desk. For an approval "scope":
// refunds:approve, and "sign_in": at most 300 s ago. "open": pending and not over its time; in words, because the one
// statement that writes has the same condition for two who press at once. "note", and "case": the case still is what
// was asked for.
[[nodiscard]] std::span<const DecisionCheck> product_decision_checks();

// Whose retry gets the token.
struct RedemptionCheckContext {
  const ApprovalRequest& request;
  const services::PersonKey& requester;
  std::string_view request_digest;
};
struct RedemptionCheck {
  std::string_view name;
  bool (*holds)(const RedemptionCheckContext& context);
};
// "requester", "digest". What does not hold is approval.no_such_request.
[[nodiscard]] std::span<const RedemptionCheck> product_redemption_checks();

// A POST to the page, before anything of it is looked at: is it our own form, in our own page?
struct FormCheckContext {
  const HttpRequest& request;
  std::string_view origin;     // ours
  const PageSession* session;  // null: the form's token is looked at elsewhere
  std::string_view purpose;    // of the form's token: "request", "logout"
  std::string_view object;     // the request's id, or nothing
};
struct FormCheck {
  std::string_view name;
  Status (*run)(const FormCheckContext& context);
};
// "origin", "fetch_site", "content_type", "size", "token".
[[nodiscard]] std::span<const FormCheck> product_form_checks();

struct ApprovalsControls {
  std::span<const DecisionCheck> decision = product_decision_checks();
  std::span<const RedemptionCheck> redemption = product_redemption_checks();
  std::span<const FormCheck> form = product_form_checks();
};

}  // namespace postern::approvals
