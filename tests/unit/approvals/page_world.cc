#include "tests/unit/approvals/page_world.h"

#include "services/payments/payments_records.h"
#include "services/seed/seed.h"
#include "tests/support/issued_approval.h"
#include "wire/base/digest.h"

namespace postern::approvals::test {
namespace {

std::string secret_of(std::string_view operation) {
  return "svc_" + sha256_hex(operation).substr(0, 43);
}

services::ServiceCredential credential(std::string_view operation) {
  return services::ServiceCredential::take(secret_of(operation));
}

Json admitted_operations() {
  Json admitted = Json::object();
  for (const char* operation :
       {"customers:read", "orders:read", "returns:read", "payments:read", "payments:refund", "approvals:request"}) {
    admitted.set(operation, sha256_hex(secret_of(operation)));
  }
  return admitted;
}

}  // namespace

PageWorld::PageWorld() {
  const Json admitted = admitted_operations();
  open_issuer();
  open_desk(admitted);
  open_payments(admitted);
  store = std::move(ApprovalStore::open({folder / "approvals"}, *staff, postern::test::issuer_of_seed('s')).value());
  money = std::make_unique<MoneyStates>(env, *page_payments);
  keys = std::make_unique<services::IssuerKeys>(env, http, kIssuer);
  gate = std::make_unique<services::BearerGate>(clock, services::TokenVerifier(kIssuer, kPage + "/approvals"), *keys);
  sign_in = std::make_unique<SignIn>(
      env, http, *keys, *gate, SignInOptions{kIssuer, "postern-approvals", kPage + "/callback", kPage + "/approvals"});
  sessions = std::make_unique<PageSessions>(env);
  page_routes = approval_page_routes(
      {env, *store, *staff, *facts, *money, *gate, *sign_in, *sessions, kPage, parse_uri(kPage)->authority()});
  http.serve(kPage, page_routes);
  api = std::make_unique<InternalApi>(
      env, *store, *money,
      services::ServiceAdmission(services::ServiceAuthentication::of_json(admitted).value(),
                                 services::DownstreamLog::open(clock, folder / "approvals", "approvals").value()),
      parse_uri(kApi)->authority());
  api_routes = api->routes();
  http.serve(kApi, api_routes);
  client = services::make_approvals_client(http, *parse_uri(kApi), credential("approvals:request"));
}

void PageWorld::open_issuer() {
  const Json clients = Json::array({Json::object({{"client_id", "postern-approvals"},
                                                  {"name", "Approval page"},
                                                  {"application_type", "web"},
                                                  {"redirect_uris", Json::array({kPage + "/callback"})},
                                                  {"scopes", Json::array({"openid", "desk:read", "refunds:approve"})},
                                                  {"resources", Json::array({kPage + "/approvals"})},
                                                  {"first_party", true}}),
                                    Json::object({{"client_id", "partner-portal"},
                                                  {"name", "Partner portal"},
                                                  {"application_type", "web"},
                                                  {"redirect_uris", Json::array({kDesk + "/callback"})},
                                                  {"scopes", Json::array({"desk:read"})},
                                                  {"resources", Json::array({kDesk + "/mcp"})},
                                                  {"first_party", true}})});
  authorization_server = std::make_unique<issuer::AuthorizationServer>(
      issuer::AuthorizationServer::make(
          env, {kIssuer, issuer::Clients::of_json(clients).value(), issuer::People::embedded(), ""})
          .value());
  issuer_routes = authorization_server->routes();
  http.serve(kIssuer, issuer_routes);
}

void PageWorld::open_desk(const Json& admitted) {
  const services::ServiceOptions options{folder / "desk", admitted, "postern-approvals"};
  desk.customers = std::move(services::Customers::open(env, options).value());
  desk.orders = std::move(services::Orders::open(env, options).value());
  desk.returns = std::move(services::Returns::open(env, options).value());
  desk.customers_read = credential("customers:read");
  desk.orders_read = credential("orders:read");
  desk.returns_read = credential("returns:read");
  EXPECT_TRUE(
      services::seed_desk(services::World(clock.now()), *desk.customers, *desk.orders, *desk.returns).has_value());
  staff = std::make_unique<ServiceDeskStaff>(desk);
  facts = std::make_unique<ServiceCaseFacts>(desk);
}

void PageWorld::open_payments(const Json& admitted) {
  payments = std::move(
      payments::Payments::open(env, {folder / "payments", postern::test::issuer_of_seed('s').public_key()}).value());
  EXPECT_TRUE(payments->fill_if_empty(payments::records_of(services::World(clock.now()))).has_value());
  payments_api = std::make_unique<payments::PaymentsApi>(
      *payments,
      services::ServiceAdmission(services::ServiceAuthentication::of_json(admitted).value(),
                                 services::DownstreamLog::open(clock, folder / "payments", "payments").value()));
  payments_routes = payments_api->routes();
  http.serve(kPayments, payments_routes);
  page_payments = std::make_unique<services::HttpPaymentsClient>(
      http, *parse_uri(kPayments), services::PaymentsCredentials{credential("payments:read"), {}}, "postern-approvals");
  desk_payments = std::make_unique<services::HttpPaymentsClient>(
      http, *parse_uri(kPayments),
      services::PaymentsCredentials{credential("payments:read"), credential("payments:refund")}, "postern-desk");
}

services::ApprovalAsk PageWorld::ask() {
  return {.ticket_id = "T-1042",
          .order_id = "ORD-5521",
          .line_id = "LN-1",
          .line_title = "tent pole section",
          .customer_id = "CUS-2001",
          .customer_name = "Avery Lin",
          .amount_cents = 4800,
          .currency = "USD",
          .policy_id = "POL-DOA-30",
          .limit_cents = 6000,
          .ticket_subject = "Tent pole section snapped",
          .requester_issuer = kIssuer,
          .requester_subject = "rowan",
          .requester_name = "Rowan Diaz",
          .desk = "west",
          .reason = "The pole section arrived snapped.",
          .run_id = "http-20261130T024512-7c1e",
          .model_id = "model-double",
          .tool = "issue_refund",
          .pin_digest = "sha256:5b1e90c2"};
}

std::string PageWorld::request(const services::ApprovalAsk& what) {
  const auto answer = client->request(what, SteadyTime::max());
  EXPECT_TRUE(answer.has_value()) << (answer ? "" : answer.error().text());
  return answer ? answer->approval_id : std::string();
}

Shown PageWorld::signed_in(BrowserDouble& browser, const std::string& path, std::string_view person) {
  return browser.press(browser.open(kPage + path), person);
}

Shown PageWorld::at_confirm(BrowserDouble& browser, const std::string& id, std::string_view person) {
  const Shown request = signed_in(browser, "/approvals/" + id, person);
  return browser.press(browser.follow(request, "Approve…"), person);
}

services::ApprovalAnswer PageWorld::redeem(const std::string& id, std::string subject) {
  const auto found = store->find(services::ApprovalId(id));
  auto answer = client->redeem(id, kIssuer, subject, found->request_digest, SteadyTime::max());
  EXPECT_TRUE(answer.has_value()) << (answer ? "" : answer.error().text());
  return answer ? *std::move(answer) : services::ApprovalAnswer{};
}

Result<services::PaidRefund> PageWorld::pay(const std::string& id) {
  const services::ApprovalAnswer answer = redeem(id);
  EXPECT_TRUE(answer.token.has_value());
  const auto action = services::read_refund_action(answer.action);
  return desk_payments->refund(*answer.token, *action, answer.request_digest, SteadyTime::max(), {});
}

RequestStatus PageWorld::status(const std::string& id) {
  return store->find(services::ApprovalId(id))->status_at(clock.now());
}

int PageWorld::audit_count(std::string_view action) {
  int count = 0;
  const auto rows = store->audit("", 1000);
  for (const AuditRow& row : *rows) count += action.empty() || row.action == action ? 1 : 0;
  return count;
}

std::string PageWorld::newest_detail(std::string_view action) {
  const auto rows = store->audit("", 1000);
  for (const AuditRow& row : *rows) {
    if (row.action == action) return row.detail;
  }
  return {};
}

}  // namespace postern::approvals::test
