// The approval page: where people see what was asked for, and where a supervisor decides.
//
// Every path is here; services/approvals/request_view.h renders, approval_store.h decides. Rules of each answer: GET,
// HEAD and OPTIONS change nothing; a POST proves that it is our own form before anything is looked at; whoever has
// nothing to do with a request gets the bytes that an unknown id gets; the headers of page_layout.h are on all answers.
// Handlers that may wait run in the blocking lane.
//
// Thread-safe. Every reference of the parts must outlive the routes.
#pragma once

#include <string>

#include "services/approvals/approval_store.h"
#include "services/approvals/case_facts.h"
#include "services/approvals/controls.h"
#include "services/approvals/desk_staff.h"
#include "services/approvals/money_state.h"
#include "services/approvals/page_session.h"
#include "services/approvals/sign_in.h"
#include "services/gate/bearer_gate.h"
#include "wire/env/env.h"
#include "wire/transport/http_server.h"

namespace postern::approvals {

struct ApprovalPageParts {
  Env env;
  ApprovalStore& store;
  const DeskStaff& staff;
  const CaseFacts& facts;
  MoneyStates& money;
  services::BearerGate& gate;
  SignIn& sign_in;
  PageSessions& sessions;
  std::string origin;  // "http://127.0.0.1:8931"
  std::string host;    // "127.0.0.1:8931"
  ApprovalsControls controls{};
};

[[nodiscard]] Routes approval_page_routes(const ApprovalPageParts& parts);

}  // namespace postern::approvals
