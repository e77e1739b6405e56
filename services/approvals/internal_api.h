// What the desk asks postern-approvals over loopback HTTP, with its approvals:request credential: a listener of its
// own, apart from the page.
//
//   POST /requests                     asks for a decision; the open request for the same action is found again
//   POST /requests/APR-0001/redeem     the decision, and the single-use token when it was an approval
//   POST /requests/APR-0001/withdraw   takes it back
//   GET  /requests/APR-0001?issuer=&subject=   the decision without the token
//
// Each is for the requester only; anybody else gets what an unknown id gets. No call of this listener decides anything.
// Handlers run in the blocking lane. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "services/approvals/approval_store.h"
#include "services/approvals/money_state.h"
#include "services/downstream/downstream_log.h"
#include "wire/env/env.h"
#include "wire/transport/http_server.h"

namespace postern::approvals {

class InternalApi {
 public:
  // All references must outlive it. `host` is the one Host value that is served.
  InternalApi(Env env, ApprovalStore& store, MoneyStates& money, services::ServiceAdmission admission, std::string host)
      : env_(env), store_(store), money_(money), admission_(std::move(admission)), host_(std::move(host)) {}

  // Must not outlive this object.
  [[nodiscard]] Routes routes() const;

 private:
  [[nodiscard]] HttpResponse answer(const HttpRequest& request) const;
  [[nodiscard]] Result<Json> dispatch(const HttpRequest& request) const;
  [[nodiscard]] Result<Json> ask(const HttpRequest& request) const;
  [[nodiscard]] Result<Json> redeem(const services::ApprovalId& id, const HttpRequest& request) const;
  [[nodiscard]] Result<Json> withdraw(const services::ApprovalId& id, const HttpRequest& request) const;
  [[nodiscard]] Result<Json> state(const services::ApprovalId& id, const HttpRequest& request) const;
  // Whether payments paid this approval; looked at only when its time to be used is over.
  [[nodiscard]] Result<bool> paid_already(const ApprovalRequest& request, WallTime now) const;

  Env env_;
  ApprovalStore& store_;
  MoneyStates& money_;
  services::ServiceAdmission admission_;
  std::string host_;
};

}  // namespace postern::approvals
