// What the desk's tools work with: the services, each with the desk's own credential for it, and the desk's own memory.
//
// Built by compose.cc, handed to every tool. Thread-safe as its parts are. A caller's token is not among the parts, and
// no tool ever sees one: services are called with what stands here and with nothing else.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "services/approvals_client/approvals_client.h"
#include "services/customers/customers.h"
#include "services/desk/case_handles.h"
#include "services/desk/refund_facts.h"
#include "services/desk/request_state.h"
#include "services/orders/orders.h"
#include "services/payments_client/payments_client.h"
#include "services/returns/returns.h"
#include "services/service_authentication/service_credential.h"
#include "wire/env/env.h"

namespace postern::desk {

struct ReadCredentials {
  services::ServiceCredential customers;  // customers:read
  services::ServiceCredential orders;     // orders:read
  services::ServiceCredential returns;    // returns:read
};

struct RefundCheck;  // refund_checks.h

struct DeskParts {
  Env env;
  ReadCredentials credentials;
  std::unique_ptr<services::Customers> customers;
  std::unique_ptr<services::Orders> orders;
  std::unique_ptr<services::Returns> returns;
  std::unique_ptr<CaseHandles> cases;
  // Null over stdio, where no money moves.
  std::unique_ptr<services::PaymentsClient> payments;
  std::unique_ptr<services::ApprovalsClient> approvals;
  std::unique_ptr<RequestStates> states;
  std::unique_ptr<RefundFacts> refund_facts;
  std::span<const RefundCheck> refund_checks;
  std::string page_origin;  // where the approval page is: "http://127.0.0.1:8940"
  std::string sole_ticket;  // stdio: the ticket that the process was started for; empty: any
};

}  // namespace postern::desk
