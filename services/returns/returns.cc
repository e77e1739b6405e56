#include "services/returns/returns.h"

#include "services/downstream/downstream_log.h"
#include "services/store/database.h"

POSTERN_EMBEDDED(services_returns_migrations)

namespace postern::services {
namespace {

constexpr std::string_view kRead = "returns:read";

struct UnreadablePolicy {
  static constexpr std::string_view kId = "returns.unreadable";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  PolicyId policy_id;
  [[nodiscard]] std::string text() const {
    return "Policy " + policy_id.value() + " has a currency that is not known here.";
  }
};

// Columns: policy_id, currency, limit_minor, window_days, body.
Result<RefundPolicy> read_policy(Statement& row, const std::string& subject) {
  POSTERN_TRY(const bool found, row.step());
  if (!found) return NoPolicy{subject};
  const PolicyId id = row.id<PolicyId>(0);
  const auto currency = Currency::of_code(row.text(1));
  if (!currency) return UnreadablePolicy{id};
  return RefundPolicy{id, Money{row.integer(2), *currency}, row.integer(3), row.text(4)};
}

Result<bool> holds_any(Connection& connection) {
  return connection.statement("SELECT 1 FROM policies LIMIT 1").step();
}

}  // namespace

struct Returns::Impl {
  std::unique_ptr<Database> database;
  ServiceAdmission admission;
  std::string caller;

  [[nodiscard]] Status admit(const ServiceCredential& credential) const {
    return admission.admit(kRead, PresentedCredential::of(credential), caller);
  }
};

Returns::Returns(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Returns::~Returns() = default;

Result<std::unique_ptr<Returns>> Returns::open(Env env, ServiceOptions options) {
  POSTERN_TRY(ServiceAuthentication authentication, ServiceAuthentication::of_json(options.admitted));
  POSTERN_TRY(DownstreamLog log, DownstreamLog::open(env.clock, options.database_dir, "returns"));
  DatabaseOptions database_options;
  database_options.path = options.database_dir + "/returns.sqlite";
  database_options.durability = options.throwaway ? Durability::kThrowaway : Durability::kNormal;
  database_options.migrations = embedded::services_returns_migrations();
  POSTERN_TRY(std::unique_ptr<Database> database, Database::open(std::move(database_options)));
  std::unique_ptr<Impl> impl(new Impl{std::move(database), ServiceAdmission(std::move(authentication), std::move(log)),
                                      std::move(options.caller)});
  return std::unique_ptr<Returns>(new Returns(std::move(impl)));
}

Result<RefundPolicy> Returns::policy_of_ticket(const ServiceCredential& credential, const TicketId& id) const {
  POSTERN_TRY_VOID(impl_->admit(credential));
  return impl_->database->read<RefundPolicy>([&](Connection& connection) -> Result<RefundPolicy> {
    Statement row = connection.statement(
        "SELECT p.policy_id, p.currency, p.limit_minor, p.window_days, p.body FROM ticket_policies AS t "
        "JOIN policies AS p ON p.policy_id = t.policy_id WHERE t.ticket_id = ?1");
    row.bind(id);
    return read_policy(row, "ticket " + id.value());
  });
}

Result<RefundPolicy> Returns::policy(const ServiceCredential& credential, const PolicyId& id) const {
  POSTERN_TRY_VOID(impl_->admit(credential));
  return impl_->database->read<RefundPolicy>([&](Connection& connection) -> Result<RefundPolicy> {
    Statement row = connection.statement(
        "SELECT policy_id, currency, limit_minor, window_days, body FROM policies WHERE policy_id = ?1");
    row.bind(id);
    return read_policy(row, "the name " + id.value());
  });
}

Result<bool> Returns::is_empty() const {
  POSTERN_TRY(const bool filled, impl_->database->read<bool>(holds_any));
  return !filled;
}

Status Returns::fill_if_empty(const ReturnsRecords& records) {
  return impl_->database->write<void>([&](Connection& connection) -> Status {
    POSTERN_TRY(const bool filled, holds_any(connection));
    if (filled) return {};
    for (const RefundPolicy& policy : records.policies) {
      POSTERN_TRY_VOID(connection
                           .statement("INSERT INTO policies (policy_id, currency, limit_minor, window_days, body) "
                                      "VALUES (?1, ?2, ?3, ?4, ?5)")
                           .bind(policy.policy_id, policy.limit.currency.code(), policy.limit.minor_units,
                                 policy.window_days, policy.text)
                           .run());
    }
    for (const auto& applies : records.applies) {
      POSTERN_TRY_VOID(connection.statement("INSERT INTO ticket_policies (ticket_id, policy_id) VALUES (?1, ?2)")
                           .bind(applies.first, applies.second)
                           .run());
    }
    return {};
  });
}

std::string NoPolicy::text() const {
  return "No refund policy is known for " + subject + ".";
}

}  // namespace postern::services
