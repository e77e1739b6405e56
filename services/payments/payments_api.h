// Payments over loopback HTTP.
//
//   POST /refunds                        payments:refund  {"token","action":{...,"request_digest"}} -> the receipt and
//   "repeated" GET  /refunds?ticket_id=T | order_id=O  payments:read -> {"refunds":[receipt...]} GET
//   /approvals/APR-0001             payments:read ->
//   {"approval_id","status":"none"|"paid"|"refused","refund"?,"refusal"?}
//
// Each operation admits its own credential only, so the key that reads cannot pay. Every call leaves a line in the
// downstream log. Failures answer {"error":{"id","text"}}. Thread-safe.
#pragma once

#include <string>

#include "services/downstream/downstream_log.h"
#include "services/payments/payments.h"
#include "wire/http_message/http_message.h"
#include "wire/transport/http_server.h"

namespace postern::payments {

class PaymentsApi {
 public:
  // `payments` must outlive it, and it must outlive the routes.
  PaymentsApi(Payments& payments, services::ServiceAdmission admission)
      : payments_(payments), admission_(std::move(admission)) {}

  // What is served on a socket: answers only whoever asks for `authority` ("127.0.0.1:8934") and comes from no page,
  // so that a name that was bound anew to loopback gets nowhere.
  [[nodiscard]] Routes routes_at(std::string authority) const;
  // The same without that door, for callers that are no browser's peer.
  [[nodiscard]] Routes routes() const;

  // The three operations. post_refund() waits for the disk: routes() runs it in the blocking lane.
  [[nodiscard]] HttpResponse post_refund(const HttpRequest& request) const;
  [[nodiscard]] HttpResponse get_refunds(const HttpRequest& request) const;
  [[nodiscard]] HttpResponse get_approval(const HttpRequest& request) const;

 private:
  [[nodiscard]] Status admit(std::string_view operation, const HttpRequest& request) const;
  [[nodiscard]] Result<Json> refund(const HttpRequest& request) const;
  [[nodiscard]] Result<Json> refunds(const HttpRequest& request) const;
  [[nodiscard]] Result<Json> approval(const HttpRequest& request) const;

  Payments& payments_;
  services::ServiceAdmission admission_;
};

}  // namespace postern::payments
