#include "services/payments/payments.h"

#include <array>

#include "services/payments/refund_rows.h"
#include "wire/base/log.h"

POSTERN_EMBEDDED(services_payments_migrations)

namespace postern::payments {
namespace {

using services::AuthenticApproval;
using services::Connection;
using services::Database;
using services::Statement;

Result<Money> limit_of(const PaymentCheckContext& context) {
  const PolicyId& policy_id = context.approved.action().policy_id;
  POSTERN_TRY(const std::optional<Money> limit, find_limit(context.connection, policy_id));
  if (!limit) return UnknownPolicy{policy_id};
  return *limit;
}

Status check_currency(const PaymentCheckContext& context) {
  const RefundAction& action = context.approved.action();
  POSTERN_TRY(const Money limit, limit_of(context));
  if (action.amount.currency != limit.currency) {
    return CurrencyMismatch{action.amount.currency, limit.currency, action.policy_id};
  }
  return {};
}

// A part is refunded once, whoever approved it how often.
Status check_line(const PaymentCheckContext& context) {
  const RefundAction& action = context.approved.action();
  Statement row = context.connection.statement("SELECT 1 FROM refunds WHERE order_id = ?1 AND line_id = ?2");
  POSTERN_TRY(const bool found, row.bind(action.order_id, action.line_id).step());
  if (found) return AlreadyRefunded{action.order_id, action.line_id};
  return {};
}

// The limit counts all refunds of the ticket together.
Status check_limit(const PaymentCheckContext& context) {
  const RefundAction& action = context.approved.action();
  POSTERN_TRY(const Money limit, limit_of(context));
  POSTERN_TRY(const std::vector<RefundRow> before,
              find_refunds(context.connection, RefundKey::kTicket, action.ticket_id.value()));
  Money refunded{0, limit.currency};
  for (const RefundRow& row : before) {
    const auto sum = add(refunded, row.receipt.amount);
    if (!sum) return CurrencyMismatch{row.receipt.amount.currency, limit.currency, action.policy_id};
    refunded = *sum;
  }
  const auto total = add(refunded, action.amount);
  if (!total || total->minor_units > limit.minor_units) {
    return OverLimit{action.amount, refunded, limit, action.ticket_id, action.policy_id};
  }
  return {};
}

constexpr std::array<PaymentCheck, 3> kPaymentChecks{{
    {"currency", check_currency, {}},
    {"line", check_line, "CREATE UNIQUE INDEX IF NOT EXISTS a_line_once ON refunds (order_id, line_id)"},
    {"limit", check_limit, {}},
}};

constexpr SpentKeyPart kSpentKey[] = {
    {"token", [](const services::ApprovalTokenPayload& token, RandomSource&) { return token.token_id.value(); }},
};

bool is_refusal(const Failure& failure) {
  return failure.disposition() != Disposition::kInternal && failure.disposition() != Disposition::kUnavailable;
}

Result<std::vector<RefundReceipt>> receipts(Database& database, RefundKey key, const std::string& value) {
  return database.read<std::vector<RefundReceipt>>([&](Connection& connection) -> Result<std::vector<RefundReceipt>> {
    POSTERN_TRY(const std::vector<RefundRow> rows, find_refunds(connection, key, value));
    std::vector<RefundReceipt> found;
    for (const RefundRow& row : rows) found.push_back(row.receipt);
    return found;
  });
}

Status make_indexes(Database& database, std::span<const PaymentCheck> checks) {
  return database.write<void>([checks](Connection& connection) -> Status {
    for (const PaymentCheck& check : checks) {
      if (!check.index.empty()) POSTERN_TRY_VOID(connection.statement(check.index).run());
    }
    return {};
  });
}

}  // namespace

std::span<const PaymentCheck> product_payment_checks() {
  return kPaymentChecks;
}

std::span<const SpentKeyPart> product_spent_key() {
  return kSpentKey;
}

Payments::Payments(Env env, PaymentsOptions options, std::unique_ptr<Database> database)
    : env_(env),
      verifier_(std::move(options.approval_key), options.controls.approval_checks),
      controls_(options.controls),
      database_(std::move(database)) {}

Result<std::unique_ptr<Payments>> Payments::open(Env env, PaymentsOptions options) {
  services::DatabaseOptions database_options;
  database_options.path = options.database_dir + "/payments.sqlite";
  database_options.durability = services::Durability::kFull;
  database_options.migrations = embedded::services_payments_migrations();
  POSTERN_TRY(std::unique_ptr<Database> database, Database::open(std::move(database_options)));
  POSTERN_TRY_VOID(make_indexes(*database, options.controls.payment_checks));
  return std::unique_ptr<Payments>(new Payments(env, std::move(options), std::move(database)));
}

Result<Paid> Payments::refund(const ApprovalToken& token, const RefundAction& action, std::string_view digest) {
  POSTERN_TRY(const AuthenticApproval approval, verifier_.open(token));
  Result<Paid> paid = database_->write<Paid>(
      [&](Connection& connection) -> Result<Paid> { return pay(connection, approval, action, digest); });
  if (!paid && is_refusal(paid.error())) remember(approval, paid.error());
  return paid;
}

std::string Payments::spent_key_of(const services::ApprovalTokenPayload& token) const {
  std::string key;
  for (const SpentKeyPart& part : controls_.spent_key) key += part.of(token, env_.random);
  return key;
}

Result<Paid> Payments::pay(Connection& connection, const AuthenticApproval& approval, const RefundAction& action,
                           std::string_view digest) {
  const std::string spent_key = spent_key_of(approval.payload());
  POSTERN_TRY(const std::vector<RefundRow> spent, find_refunds(connection, RefundKey::kSpent, spent_key));
  if (!spent.empty()) {
    const RefundRow& row = spent.front();
    if (row.action() == action && row.request_digest == digest) return Paid{row.receipt, true};
    return TokenSpent{row.receipt.approval_id, row.receipt.refund_id};
  }
  // The time is read here, with the write lock held: waiting for it must not stretch a token's life.
  const WallTime now = env_.clock.now();
  POSTERN_TRY(const ApprovedRefund approved, verifier_.authorize(approval, action, digest, now));
  const PaymentCheckContext context{connection, approved};
  for (const PaymentCheck& check : controls_.payment_checks) POSTERN_TRY_VOID(check.run(context));
  POSTERN_TRY(const RefundId refund_id, next_refund_id(connection));
  const RefundAction& pays = approved.action();
  RefundRow row{{refund_id, pays.ticket_id, pays.order_id, pays.line_id, pays.amount, approved.payload().approval_id,
                 approved.payload().token_id, now},
                pays.policy_id,
                approved.payload().request_digest};
  POSTERN_TRY_VOID(insert_refund(connection, row, spent_key));
  return Paid{std::move(row.receipt), false};
}

void Payments::remember(const AuthenticApproval& approval, const Failure& refusal) {
  const Status kept = database_->write<void>([&](Connection& connection) -> Status {
    return connection
        .statement(
            "INSERT INTO refusals (approval_id, token_id, failure_id, body, refused_at) VALUES (?1, ?2, ?3, ?4, ?5) "
            "ON CONFLICT (approval_id) DO UPDATE SET token_id = excluded.token_id, "
            "failure_id = excluded.failure_id, body = excluded.body, refused_at = excluded.refused_at")
        .bind(approval.payload().approval_id, approval.payload().token_id, refusal.id(), refusal.text(),
              env_.clock.now())
        .run();
  });
  if (!kept) log_warning("a refusal could not be kept: " + kept.error().text());
}

Result<std::vector<RefundReceipt>> Payments::refunds_of_ticket(const TicketId& id) {
  return receipts(*database_, RefundKey::kTicket, id.value());
}

Result<std::vector<RefundReceipt>> Payments::refunds_of_order(const OrderId& id) {
  return receipts(*database_, RefundKey::kOrder, id.value());
}

Result<ApprovalOutcome> Payments::outcome_of(const ApprovalId& id) {
  return database_->read<ApprovalOutcome>([&](Connection& connection) -> Result<ApprovalOutcome> {
    ApprovalOutcome outcome;
    POSTERN_TRY(const std::vector<RefundRow> paid, find_refunds(connection, RefundKey::kApproval, id.value()));
    if (!paid.empty()) {
      outcome.receipt = paid.front().receipt;
      return outcome;
    }
    Statement refusal = connection.statement("SELECT body FROM refusals WHERE approval_id = ?1");
    POSTERN_TRY(const bool refused, refusal.bind(id).step());
    if (refused) outcome.refusal = refusal.text(0);
    return outcome;
  });
}

Status Payments::fill_if_empty(const PaymentsRecords& records) {
  return database_->write<void>([&](Connection& connection) -> Status {
    Statement any = connection.statement("SELECT 1 FROM policy_limits LIMIT 1");
    POSTERN_TRY(const bool filled, any.step());
    if (filled) return {};
    for (const PolicyLimit& limit : records.limits) {
      POSTERN_TRY_VOID(insert_limit(connection, limit.policy_id, limit.limit));
    }
    for (const EarlierRefund& refund : records.refunds) {
      POSTERN_TRY_VOID(
          insert_refund(connection, {refund.receipt, refund.policy_id, ""}, refund.receipt.token_id.value()));
    }
    return {};
  });
}

}  // namespace postern::payments
