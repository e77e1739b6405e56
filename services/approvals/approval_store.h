// The requests, their decisions, and the tokens issued for them, in one database of postern-approvals.
//
//   pending --decide--> approved | denied        approved --redeem--> (token unspent) --payments--> spent | refused
//      |---- time over --> expired                   |---- 300 s over --> lapsed
//      '---- withdraw  --> withdrawn
//
// Each arrow is one transaction that changes exactly one row, under the condition that it still is what was seen, and
// writes its audit row: a decision without its row cannot be. The rules about who may decide are checked here and not
// in the page.
//
// Thread-safe. Reads no clock: `now` is the server's, from the caller. Failures: those of
// services/approvals/failures.h, and store.*.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "services/approval_token_issuer/approval_token_issuer.h"
#include "services/approvals/approval_request.h"
#include "services/approvals/audit_trail.h"
#include "services/approvals/controls.h"
#include "services/approvals/desk_staff.h"
#include "services/gate/token_verifier.h"
#include "services/payments_client/payments_client.h"
#include "services/store/database.h"

namespace postern::approvals {

enum class Verdict { kApprove, kDeny };

// What a supervisor pressed, with what was on the page when it was pressed.
struct Decision {
  services::ApprovalId approval_id;
  Verdict verdict = Verdict::kDeny;
  std::int64_t version = 0;
  std::string request_digest;
  std::string note;         // required for a denial
  std::string session_ref;  // names the session in the audit trail; no secret
  // Why the case must not be approved as it stands now, as a sentence (services/approvals/case_facts.h).
  std::optional<std::string> blocked;
};

// What a retry of the requester gets.
struct Redemption {
  ApprovalRequest request;
  bool lapsed = false;  // approved, and its time to be used is over
  std::optional<services::ApprovalToken> token;
  services::TokenId token_id;  // empty without a token
};

// What is stored of a token: never the token.
struct TokenRecord {
  services::TokenId token_id;
  WallTime issued_at;
  WallTime use_by;
  std::string refund_id;  // once payments said so
  std::string failure;    // payments' sentence, when it refused
  bool lapsed = false;
};

struct RequestList {
  std::vector<ApprovalRequest> requests;  // newest first
  bool more = false;
};

struct ApprovalStoreOptions {
  std::string database_dir;
  Seconds request_time{15 * 60};  // from asking to expiry
  std::span<const DecisionCheck> decision_checks = product_decision_checks();
  std::span<const RedemptionCheck> redemption_checks = product_redemption_checks();
};

class ApprovalStore {
 public:
  static constexpr Seconds kSignInAgeMax{300};
  static constexpr std::size_t kNoteCharactersMax = 500;
  static constexpr int kPageSize = 50;
  static constexpr int kOpenRequestsMax = 20;  // of one requester

  // `staff` must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<ApprovalStore>> open(ApprovalStoreOptions options, const DeskStaff& staff,
                                                                   services::ApprovalTokenIssuer issuer);

  // A new request, or the open one for the same action and requester: pending, or approved and still to be used.
  // `approval.too_many_open_requests` when kOpenRequestsMax of the requester's wait already.
  [[nodiscard]] Result<ApprovalRequest> request(const NewRequest& asked, WallTime now);
  [[nodiscard]] Result<ApprovalRequest> find(const services::ApprovalId& id);
  // Of those desks, and of that requester. `pending_only` leaves out what is final or expired.
  [[nodiscard]] Result<RequestList> list(const std::vector<std::string>& desks, const services::PersonKey& requester,
                                         bool pending_only, int page, WallTime now);

  // Checks, in this order: the request exists; the rows of the decision checks (controls.h); the request is what was
  // shown. A refusal leaves an audit row too.
  [[nodiscard]] Result<ApprovalRequest> decide(const services::VerifiedAccessToken& supervisor,
                                               const Decision& decision, WallTime now);
  // By its requester only; anybody else gets approval.no_such_request.
  [[nodiscard]] Result<ApprovalRequest> withdraw(const services::ApprovalId& id, const services::PersonKey& requester,
                                                 std::string_view channel, WallTime now);
  // Whether these may redeem it: approval.no_such_request. redeem() looks again.
  [[nodiscard]] Status may_redeem(const ApprovalRequest& request, const services::PersonKey& requester,
                                  std::string_view request_digest) const;
  // By its requester, with the digest that was stored. Gives the token of an approved request, the same one each time.
  // After its 300 s only when `paid_already`, so that a lost receipt can be had again; otherwise it has lapsed.
  [[nodiscard]] Result<Redemption> redeem(const services::ApprovalId& id, const services::PersonKey& requester,
                                          const std::string& request_digest, bool paid_already, WallTime now);

  [[nodiscard]] Result<std::optional<TokenRecord>> token_of(const services::ApprovalId& id);
  // Writes down what the clock did: expired requests.
  [[nodiscard]] Status expire_due(WallTime now);
  // Approved requests of which the last word about money is not written down yet.
  [[nodiscard]] Result<std::vector<ApprovalRequest>> unsettled();
  // Writes down what payments says of an approved request (spent, refused), or that its time is over.
  [[nodiscard]] Status settle(const ApprovalRequest& request, const services::PaymentState& state, WallTime now);

  // An audit row of its own, for what changes nothing else (sign-in, refusals).
  [[nodiscard]] Status record(const AuditEvent& event, WallTime now);
  [[nodiscard]] Result<std::vector<AuditRow>> audit(const std::string& object, int rows_max);
  [[nodiscard]] Result<AuditVerdict> verify();

 private:
  ApprovalStore(ApprovalStoreOptions options, const DeskStaff& staff, services::ApprovalTokenIssuer issuer,
                std::unique_ptr<services::Database> database)
      : options_(std::move(options)), staff_(staff), issuer_(std::move(issuer)), database_(std::move(database)) {}
  [[nodiscard]] Result<ApprovalRequest> decide_checked(const services::VerifiedAccessToken& supervisor,
                                                       const Decision& decision, WallTime now);

  ApprovalStoreOptions options_;
  const DeskStaff& staff_;
  services::ApprovalTokenIssuer issuer_;
  std::unique_ptr<services::Database> database_;
};

}  // namespace postern::approvals
