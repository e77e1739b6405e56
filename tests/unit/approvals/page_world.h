// The approvals process, the issuer, payments and the desk's services in one test, over Routes and one manual clock:
// everything is real but the sockets.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "issuer/authorization_server.h"
#include "services/approvals/approval_page.h"
#include "services/approvals/desk_services.h"
#include "services/approvals/internal_api.h"
#include "services/approvals/settlement.h"
#include "services/approvals_client/approvals_client.h"
#include "services/payments/payments_api.h"
#include "tests/support/browser_double.h"
#include "tests/support/manual_clock.h"
#include "tests/support/routes_http_client.h"
#include "tests/support/seeded_random.h"
#include "tests/support/temporary_folder.h"

namespace postern::approvals::test {

using postern::test::BrowserDouble;
using postern::test::Shown;

inline const std::string kIssuer = "http://127.0.0.1:8932";
inline const std::string kPage = "http://127.0.0.1:8931";
inline const std::string kDesk = "http://127.0.0.1:8933";
inline const std::string kPayments = "http://127.0.0.1:8934";
inline const std::string kApi = "http://127.0.0.1:8935";

class PageWorld {
 public:
  PageWorld();

  // What the desk asks for: T-1042, 4800 cents, by Rowan.
  static services::ApprovalAsk ask();
  // Asks, and gives the id.
  std::string request(const services::ApprovalAsk& what = ask());
  // The browser signed in, at that page of the approvals.
  Shown signed_in(BrowserDouble& browser, const std::string& path, std::string_view person);
  // The confirm page, after the fresh sign-in.
  Shown at_confirm(BrowserDouble& browser, const std::string& id, std::string_view person = "Morgan Ellis");
  services::ApprovalAnswer redeem(const std::string& id, std::string subject = "rowan");
  // The desk's retry: redeems, and pays with the token.
  Result<services::PaidRefund> pay(const std::string& id);
  [[nodiscard]] RequestStatus status(const std::string& id);
  // How many audit rows there are of that action (all, when empty).
  [[nodiscard]] int audit_count(std::string_view action = {});
  // The detail of the newest row of that action; empty when there is none.
  [[nodiscard]] std::string newest_detail(std::string_view action);

  postern::test::TemporaryFolder folder;
  postern::test::ManualClock clock;
  postern::test::SeededRandom random;
  NoTap tap;
  Env env{clock, random, tap};
  postern::test::RoutesHttpClient http;

  std::unique_ptr<issuer::AuthorizationServer> authorization_server;
  DeskServices desk;
  std::unique_ptr<ServiceDeskStaff> staff;
  std::unique_ptr<ServiceCaseFacts> facts;
  std::unique_ptr<payments::Payments> payments;
  std::unique_ptr<payments::PaymentsApi> payments_api;
  std::unique_ptr<services::HttpPaymentsClient> desk_payments;
  std::unique_ptr<services::HttpPaymentsClient> page_payments;
  std::unique_ptr<ApprovalStore> store;
  std::unique_ptr<MoneyStates> money;
  std::unique_ptr<services::IssuerKeys> keys;
  std::unique_ptr<services::BearerGate> gate;
  std::unique_ptr<SignIn> sign_in;
  std::unique_ptr<PageSessions> sessions;
  std::unique_ptr<InternalApi> api;
  std::unique_ptr<services::ApprovalsClient> client;
  Routes issuer_routes;
  Routes payments_routes;
  Routes page_routes;
  Routes api_routes;

 private:
  void open_issuer();
  void open_desk(const Json& admitted);
  void open_payments(const Json& admitted);
};

}  // namespace postern::approvals::test
