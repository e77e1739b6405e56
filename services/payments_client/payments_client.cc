#include "services/payments_client/payments_client.h"

#include "wire/base/visible_text.h"

namespace postern::services {
namespace {

PaymentsUnavailable unknown_form(bool may_have_paid) {
  return {"its answer has not the form that was expected", may_have_paid};
}

// Whether the request may have reached payments: only a failure to connect says that it did not.
PaymentsUnavailable unavailable(const Failure& failure, bool refund) {
  return {failure.text(), refund && failure.as<Unreachable>() == nullptr && failure.as<Unsendable>() == nullptr};
}

PaymentsRefused refusal_of(const Json& error) {
  return {visible_line(error.string_at("id"), 60), visible_line(error.string_at("text"), 600)};
}

}  // namespace

HttpPaymentsClient::HttpPaymentsClient(HttpClient& client, Uri base, PaymentsCredentials credentials,
                                       std::string caller)
    : client_(client), base_(std::move(base)), credentials_(std::move(credentials)), caller_(std::move(caller)) {}

Result<Json> HttpPaymentsClient::exchange(HttpRequest request, const ServiceCredential& credential, SteadyTime deadline,
                                          std::stop_token stop) {
  const bool refund = request.method == "POST";
  ServiceAuthorizationHeader::write(request, credential);
  request.headers.set("User-Agent", caller_);
  request.headers.set("Accept", "application/json");
  auto response = client_.send(base_, request, deadline, stop);
  // The body may hold a token; what the HTTP library copied of it is out of reach.
  wipe(request.body);
  if (!response) return unavailable(response.error(), refund);
  auto json = parse_json(response->body);
  if (!json || !json->is_object()) return unknown_form(refund);
  if (response->status == 200) return *std::move(json);
  const Json* error = json->find("error");
  if (error == nullptr || error->string_at("id").empty()) return unknown_form(refund);
  // 5xx is no decision: payments may have failed before or after it paid.
  if (response->status >= 500) return PaymentsUnavailable{refusal_of(*error).remote_text, refund};
  return refusal_of(*error);
}

Result<PaidRefund> HttpPaymentsClient::refund(const ApprovalToken& token, const RefundAction& action,
                                              const std::string& request_digest, SteadyTime deadline,
                                              std::stop_token stop) {
  Json bound = to_json(action);
  bound.set("request_digest", request_digest);
  HttpRequest request;
  request.method = "POST";
  request.target = "/refunds";
  request.headers.set("Content-Type", "application/json");
  request.body = "{\"token\":";
  Json::append_quoted(request.body, token.reveal(Passkey<HttpPaymentsClient>{}));
  request.body += ",\"action\":" + bound.dump() + "}";
  POSTERN_TRY(const Json answer, exchange(std::move(request), credentials_.refund, deadline, std::move(stop)));
  auto receipt = read_refund_receipt(answer);
  const auto repeated = answer.boolean_at("repeated");
  if (!receipt || !repeated) return unknown_form(true);
  return PaidRefund{*std::move(receipt), *repeated};
}

Result<std::vector<RefundReceipt>> HttpPaymentsClient::list(const std::string& query, SteadyTime deadline,
                                                            std::stop_token stop) {
  HttpRequest request;
  request.method = "GET";
  request.target = "/refunds?" + query;
  POSTERN_TRY(const Json answer, exchange(std::move(request), credentials_.read, deadline, std::move(stop)));
  const Json* refunds = answer.find("refunds");
  if (refunds == nullptr || !refunds->is_array()) return unknown_form(false);
  std::vector<RefundReceipt> receipts;
  for (const Json& element : refunds->elements()) {
    auto receipt = read_refund_receipt(element);
    if (!receipt) return unknown_form(false);
    receipts.push_back(*std::move(receipt));
  }
  return receipts;
}

Result<std::vector<RefundReceipt>> HttpPaymentsClient::refunds_of_ticket(const TicketId& id, SteadyTime deadline,
                                                                         std::stop_token stop) {
  return list("ticket_id=" + id.value(), deadline, std::move(stop));
}

Result<std::vector<RefundReceipt>> HttpPaymentsClient::refunds_of_order(const OrderId& id, SteadyTime deadline,
                                                                        std::stop_token stop) {
  return list("order_id=" + id.value(), deadline, std::move(stop));
}

Result<PaymentState> HttpPaymentsClient::state_of_approval(const ApprovalId& id, SteadyTime deadline,
                                                           std::stop_token stop) {
  HttpRequest request;
  request.method = "GET";
  request.target = "/approvals/" + id.value();
  POSTERN_TRY(const Json answer, exchange(std::move(request), credentials_.read, deadline, std::move(stop)));
  const std::string_view status = answer.string_at("status");
  PaymentState state;
  if (status == "none") return state;
  if (status == "refused") {
    state.status = PaymentStatus::kRefused;
    state.refusal = visible_line(answer.string_at("refusal"), 600);
    return state;
  }
  const Json* refund = answer.find("refund");
  if (status != "paid" || refund == nullptr) return unknown_form(false);
  state.receipt = read_refund_receipt(*refund);
  if (!state.receipt) return unknown_form(false);
  state.status = PaymentStatus::kPaid;
  return state;
}

std::string PaymentsRefused::text() const {
  return remote_text;
}

std::string PaymentsUnavailable::text() const {
  if (may_have_paid) {
    return "Payments gave no usable answer (" + reason +
           "). We do not know yet whether money was refunded. Ask payments before anything else is done.";
  }
  return "Payments could not be asked (" + reason + "). This call refunded nothing. Try again.";
}

}  // namespace postern::services
