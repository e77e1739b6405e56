// What was paid, and the rules for paying. Its own database file, payments.sqlite; nobody else writes it.
//
// A refund is paid when its approval token is authentic, unspent, unexpired and bound to exactly this action, and when
// the policy's limit holds, counted over all refunds of the ticket in the policy's currency. All that is checked and
// written in one transaction that excludes other writers, in this process and in others: the refund's row is the spent
// token's row. So two calls at the same instant pay once, and a call that is repeated after a lost answer gets the same
// receipt, also when the token is over its time.
//
// Thread-safe. Who may call is checked before (payments_api.h).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "services/approval_token/approval_token.h"
#include "services/domain/refund_action.h"
#include "services/domain/refund_receipt.h"
#include "services/payments/failures.h"
#include "services/store/database.h"
#include "wire/base/ed25519.h"
#include "wire/base/random_source.h"
#include "wire/base/result.h"
#include "wire/env/env.h"

namespace postern::payments {

using services::ApprovalToken;
using services::ApprovedRefund;
using services::RefundAction;
using services::RefundReceipt;
using services::TokenId;

// What payments checks of its own accord, within the transaction that pays.
struct PaymentCheckContext {
  services::Connection& connection;
  const ApprovedRefund& approved;
};
struct PaymentCheck {
  std::string_view name;
  Status (*run)(const PaymentCheckContext& context);
  // An index that makes the database refuse what the check would, whoever writes; may be empty. A literal.
  std::string_view index;
};
// "currency", "line", "limit". The product passes it whole; the lab passes it minus a row.
[[nodiscard]] std::span<const PaymentCheck> product_payment_checks();

// What a spent token is known by: there is one refund of a key. The product's is the token's id; the lab takes one that
// never comes twice, to see which attack it stops.
struct SpentKeyPart {
  std::string_view name;  // "token"
  std::string (*of)(const services::ApprovalTokenPayload& token, RandomSource& random);
};
[[nodiscard]] std::span<const SpentKeyPart> product_spent_key();

struct PaymentsControls {
  std::span<const services::ApprovalCheck> approval_checks = services::product_approval_checks();
  std::span<const PaymentCheck> payment_checks = product_payment_checks();
  std::span<const SpentKeyPart> spent_key = product_spent_key();
};

struct PaymentsOptions {
  std::string database_dir;
  Ed25519PublicKey approval_key;
  PaymentsControls controls{};
};

struct Paid {
  RefundReceipt receipt;
  bool repeated = false;  // paid before this call
};

struct ApprovalOutcome {
  std::optional<RefundReceipt> receipt;  // paid
  std::optional<std::string> refusal;    // not paid, and the last attempt was refused: why
};

struct PolicyLimit {
  PolicyId policy_id;
  Money limit;
};
struct EarlierRefund {
  RefundReceipt receipt;
  PolicyId policy_id;
};
struct PaymentsRecords {  // what a seed fills in
  std::vector<PolicyLimit> limits;
  std::vector<EarlierRefund> refunds;
};

class Payments {
 public:
  // `env` must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<Payments>> open(Env env, PaymentsOptions options);

  // Failures: payment.*, store.*. After any of them nothing was refunded by this call. Waits for the disk: not for a
  // loop thread.
  [[nodiscard]] Result<Paid> refund(const ApprovalToken& token, const RefundAction& action, std::string_view digest);

  // Oldest first.
  [[nodiscard]] Result<std::vector<RefundReceipt>> refunds_of_ticket(const TicketId& id);
  [[nodiscard]] Result<std::vector<RefundReceipt>> refunds_of_order(const OrderId& id);
  [[nodiscard]] Result<ApprovalOutcome> outcome_of(const ApprovalId& id);

  // Fills an empty database in one transaction; leaves one that holds a limit already as it is. For whoever starts the
  // service.
  [[nodiscard]] Status fill_if_empty(const PaymentsRecords& records);

 private:
  Payments(Env env, PaymentsOptions options, std::unique_ptr<services::Database> database);
  [[nodiscard]] Result<Paid> pay(services::Connection& connection, const services::AuthenticApproval& approval,
                                 const RefundAction& action, std::string_view digest);
  [[nodiscard]] std::string spent_key_of(const services::ApprovalTokenPayload& token) const;
  // Keeps why an attempt with an authentic token was refused. Best effort: the refusal stands without it.
  void remember(const services::AuthenticApproval& approval, const Failure& refusal);

  Env env_;
  services::ApprovalTokenVerifier verifier_;
  PaymentsControls controls_;
  std::unique_ptr<services::Database> database_;
};

}  // namespace postern::payments
