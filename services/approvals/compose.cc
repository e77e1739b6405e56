#include "services/approvals/compose.h"

#include <utility>

#include "services/approvals/approval_page.h"
#include "services/approvals/form_guard.h"
#include "wire/base/check.h"
#include "wire/transport/launch.h"

namespace postern::approvals {
namespace {

Result<DeskServices> open_desk(const Env& env, ApprovalsOptions& config) {
  const auto options = [&] {
    return services::ServiceOptions{config.desk_database_dir, config.admitted, "postern-approvals"};
  };
  DeskServices desk;
  POSTERN_TRY(desk.customers, services::Customers::open(env, options()));
  POSTERN_TRY(desk.orders, services::Orders::open(env, options()));
  POSTERN_TRY(desk.returns, services::Returns::open(env, options()));
  desk.customers_read = std::move(config.customers_read);
  desk.orders_read = std::move(config.orders_read);
  desk.returns_read = std::move(config.returns_read);
  return desk;
}

Result<services::ApprovalTokenIssuer> token_issuer(const ApprovalsOptions& config) {
  auto signer = Ed25519Signer::of_seed(config.signing_seed);
  if (!signer) return BadLaunchDocument{"\"signing_seed\" must be the base64url of 32 bytes"};
  return services::ApprovalTokenIssuer(*std::move(signer));
}

}  // namespace

// Each refers to those above it, so that they are destroyed in the other order.
struct ApprovalsServer::Parts {
  Parts(Env given, ApprovalsOptions& options, ApprovalsClients clients, DeskServices services, const Uri& page,
        Uri payments_uri)
      : env(given),
        desk(std::move(services)),
        staff(desk),
        facts(desk),
        payments(clients.payments, std::move(payments_uri),
                 {std::move(options.payments_read), services::ServiceCredential()}, "postern-approvals"),
        money(env, payments),
        keys(env, clients.issuer, options.issuer),
        gate(env.clock, services::TokenVerifier(options.issuer, options.page_resource), keys),
        sign_in(env, clients.issuer, keys, gate,
                {options.issuer, options.page_client_id, options.page_origin + "/callback", options.page_resource}),
        sessions(env),
        page_origin(options.page_origin),
        page_host(page.authority()) {}

  Env env;
  const DeskServices desk;
  const ServiceDeskStaff staff;
  const ServiceCaseFacts facts;
  std::unique_ptr<ApprovalStore> store;
  services::HttpPaymentsClient payments;
  MoneyStates money;
  services::IssuerKeys keys;
  services::BearerGate gate;
  SignIn sign_in;
  PageSessions sessions;
  const std::string page_origin;
  const std::string page_host;
  ApprovalsControls controls;
  std::optional<services::ServiceAdmission> admission;  // until the API has it
  std::optional<InternalApi> api;
};

ApprovalsServer::ApprovalsServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
ApprovalsServer::~ApprovalsServer() = default;

Result<std::unique_ptr<ApprovalsServer>> ApprovalsServer::compose(Env env, ApprovalsOptions options,
                                                                  ApprovalsClients clients,
                                                                  const ApprovalsControls& controls) {
  POSTERN_TRY(const Uri page_uri, parse_uri(options.page_origin));
  POSTERN_TRY(Uri payments_uri, parse_uri(options.payments_url));
  POSTERN_TRY(DeskServices desk, open_desk(env, options));
  POSTERN_TRY(services::ApprovalTokenIssuer issuer, token_issuer(options));
  auto parts = std::make_unique<Parts>(env, options, clients, std::move(desk), page_uri, std::move(payments_uri));
  POSTERN_TRY(parts->store, ApprovalStore::open({options.database_dir, std::chrono::minutes(options.request_minutes),
                                                 controls.decision, controls.redemption},
                                                parts->staff, std::move(issuer)));
  POSTERN_TRY(auto authentication, services::ServiceAuthentication::of_json(options.admitted));
  POSTERN_TRY(auto log, services::DownstreamLog::open(env.clock, options.database_dir, "approvals"));
  parts->controls = controls;
  parts->admission.emplace(std::move(authentication), std::move(log));
  return std::unique_ptr<ApprovalsServer>(new ApprovalsServer(std::move(parts)));
}

Routes ApprovalsServer::page_routes() {
  Parts& p = *parts_;
  return approval_page_routes({p.env, *p.store, p.staff, p.facts, p.money, p.gate, p.sign_in, p.sessions, p.page_origin,
                               p.page_host, p.controls});
}

Routes ApprovalsServer::api_routes(std::string authority) {
  POSTERN_CHECK(parts_->admission.has_value());
  parts_->api.emplace(parts_->env, *parts_->store, parts_->money, *std::move(parts_->admission), std::move(authority));
  parts_->admission.reset();
  return parts_->api->routes();
}

HttpLimits ApprovalsServer::page_limits() {
  HttpLimits limits;
  limits.body_bytes_max = kFormBytesMax;
  return limits;
}

HttpLimits ApprovalsServer::api_limits() {
  HttpLimits limits;
  limits.body_bytes_max = 64 * 1024;
  return limits;
}

void ApprovalsServer::settle() {
  settle_once(parts_->env, *parts_->store, parts_->money);
}

std::unique_ptr<SettlementWatch> ApprovalsServer::watch() {
  return std::make_unique<SettlementWatch>(parts_->env, *parts_->store, parts_->money);
}

}  // namespace postern::approvals
