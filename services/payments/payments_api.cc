#include "services/payments/payments_api.h"

#include "services/service_authentication/service_error.h"
#include "wire/base/uri.h"

namespace postern::payments {
namespace {

using services::read_id;

constexpr std::string_view kRefund = "payments:refund";
constexpr std::string_view kRead = "payments:read";
constexpr std::string_view kApprovalsPath = "/approvals/";

HttpResponse response_of(const Result<Json>& result) {
  HttpResponse response =
      result ? json_response(200, result->dump()) : services::service_error_response(result.error());
  response.headers.set("Cache-Control", "no-store");
  return response;
}

// Takes the token out of the parsed body, so that no second copy of it lives on.
Result<ApprovalToken> take_token(Json& body) {
  Json* member = body.find("token");
  std::string* text = member == nullptr ? nullptr : member->string();
  if (text == nullptr) return MalformedPaymentRequest{"\"token\" is missing"};
  return ApprovalToken::take(std::move(*text));
}

Json receipts_json(const std::vector<RefundReceipt>& receipts) {
  Json refunds = Json::array();
  for (const RefundReceipt& receipt : receipts) refunds.push(to_json(receipt));
  return Json::object({{"refunds", std::move(refunds)}});
}

// Who asks for another host, or comes from a page: a browser reaches loopback too, and says so in these two.
std::optional<HttpResponse> refuse_browser(const HttpRequest& request, std::string_view authority) {
  const auto hosts = request.headers.all("Host");
  if (hosts.size() != 1) return text_response(400, "A request must name its host once.\n");
  if (hosts.front() != authority) return text_response(403, "Payments does not answer for that host.\n");
  if (request.headers.has("Origin")) return text_response(403, "Payments does not answer to pages.\n");
  return std::nullopt;
}

}  // namespace

Routes PaymentsApi::routes_at(std::string authority) const {
  Routes at = routes();
  at.before(
      [authority = std::move(authority)](const HttpRequest& request) { return refuse_browser(request, authority); });
  return at;
}

Routes PaymentsApi::routes() const {
  Routes routes;
  routes.add("POST", "/refunds", [this](const HttpRequest& request) -> HttpReply {
    return Blocking{[this, request](std::stop_token) -> HttpReply { return post_refund(request); }};
  });
  routes.add("GET", "/refunds", [this](const HttpRequest& request) -> HttpReply { return get_refunds(request); });
  routes.add("GET", std::string(kApprovalsPath) + "*",
             [this](const HttpRequest& request) -> HttpReply { return get_approval(request); });
  return routes;
}

HttpResponse PaymentsApi::post_refund(const HttpRequest& request) const {
  return response_of(refund(request));
}
HttpResponse PaymentsApi::get_refunds(const HttpRequest& request) const {
  return response_of(refunds(request));
}
HttpResponse PaymentsApi::get_approval(const HttpRequest& request) const {
  return response_of(approval(request));
}

Status PaymentsApi::admit(std::string_view operation, const HttpRequest& request) const {
  const std::string* caller = request.headers.find("User-Agent");
  return admission_.admit(operation, services::PresentedCredential::of(request),
                          caller == nullptr ? std::string_view("unknown") : std::string_view(*caller));
}

Result<Json> PaymentsApi::refund(const HttpRequest& request) const {
  POSTERN_TRY_VOID(admit(kRefund, request));
  const std::string* content_type = request.headers.find("Content-Type");
  if (content_type == nullptr || media_type(*content_type) != "application/json") {
    return MalformedPaymentRequest{"its Content-Type is not application/json"};
  }
  POSTERN_TRY(Json body, parse_json(request.body, {64 * 1024, 8}));
  POSTERN_TRY(const ApprovalToken token, take_token(body));
  const Json* bound = body.find("action");
  if (bound == nullptr) return MalformedPaymentRequest{"\"action\" is missing"};
  POSTERN_TRY(const RefundAction action, services::read_refund_action(*bound));
  POSTERN_TRY(const Paid paid, payments_.refund(token, action, bound->string_at("request_digest")));
  Json answer = to_json(paid.receipt);
  answer.set("repeated", paid.repeated);
  return answer;
}

Result<Json> PaymentsApi::refunds(const HttpRequest& request) const {
  POSTERN_TRY_VOID(admit(kRead, request));
  POSTERN_TRY(const FormFields fields, form_decode(request.query()));
  if (fields.size() == 1 && fields[0].first == "ticket_id") {
    const auto id = read_id<TicketId>(fields[0].second);
    if (!id) return MalformedPaymentRequest{"\"ticket_id\" has not the form of one"};
    POSTERN_TRY(const std::vector<RefundReceipt> found, payments_.refunds_of_ticket(*id));
    return receipts_json(found);
  }
  if (fields.size() == 1 && fields[0].first == "order_id") {
    const auto id = read_id<OrderId>(fields[0].second);
    if (!id) return MalformedPaymentRequest{"\"order_id\" has not the form of one"};
    POSTERN_TRY(const std::vector<RefundReceipt> found, payments_.refunds_of_order(*id));
    return receipts_json(found);
  }
  return MalformedPaymentRequest{"it must name a ticket_id or an order_id, and nothing else"};
}

Result<Json> PaymentsApi::approval(const HttpRequest& request) const {
  POSTERN_TRY_VOID(admit(kRead, request));
  const std::string_view path = request.path();
  const auto id =
      path.starts_with(kApprovalsPath) ? read_id<ApprovalId>(path.substr(kApprovalsPath.size())) : std::nullopt;
  if (!id) return MalformedPaymentRequest{"its path names no approval"};
  POSTERN_TRY(const ApprovalOutcome outcome, payments_.outcome_of(*id));
  Json answer = Json::object({{"approval_id", id->value()}});
  if (outcome.receipt) {
    answer.set("status", "paid").set("refund", to_json(*outcome.receipt));
  } else if (outcome.refusal) {
    answer.set("status", "refused").set("refusal", *outcome.refusal);
  } else {
    answer.set("status", "none");
  }
  return answer;
}

}  // namespace postern::payments
