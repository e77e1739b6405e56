// A refund in rounds (boundary, "waiting for a decision").
//
//   round 1      checks -> approvals: request -> input_required { link to the page, sealed state }
//   later rounds state opened -> approvals: redeem -> pending: input_required again, with fresh state
//                                                  -> approved: payments pays -> receipt
//                                                  -> denied, expired, withdrawn, lapsed: why nothing was refunded
//
// The client's "accept" says that the operator saw the link. It decides nothing: the decision is read from approvals.
#include "services/desk/failures.h"
#include "services/desk/refund_checks.h"
#include "services/desk/refund_payment.h"
#include "services/desk/tool_catalog.h"
#include "services/desk/tools/case_lookup.h"
#include "services/desk/tools/tools.h"
#include "wire/base/visible_text.h"
#include "wire/mcp/codec.h"

namespace postern::desk {

using services::ApprovalAnswer;
using services::ApprovalId;
using services::ApprovalStatus;
using services::LineId;
using services::RefundReceipt;

namespace {

constexpr std::string_view kInputKey = "approval";
constexpr std::string_view kRunClaims = "dev.postern/run";
constexpr std::size_t kClaimCharactersMax = 100;
constexpr std::chrono::milliseconds kApprovalsMax{4000};

// JSON Schema counts 4800.0 as an integer too, and has refused what is none and what is out of bounds.
std::int64_t integer_of(const Json& arguments, std::string_view name) {
  const Json* value = arguments.find(name);
  return value == nullptr ? 0 : safe_integer(*value, name).value_or(0);
}

// One call, in whichever round it is.
class RefundCall {
 public:
  RefundCall(const DeskParts& desk, const mcp::ToolCall& call)
      : desk_(desk),
        call_(call),
        line_id_(std::string(call.arguments.string_at("line_id"))),
        amount_minor_(integer_of(call.arguments, "amount_cents")) {}

  Result<mcp::CallToolOutcome> run() {
    return call_.params.request_state ? later_round(*call_.params.request_state) : first_round();
  }

 private:
  Result<mcp::CallToolOutcome> first_round() const;
  Result<mcp::CallToolOutcome> later_round(const std::string& state_text) const;
  // What the client answered: nothing to stop for, or why the call ends here.
  Result<bool> answered(const ApprovalId& approval_id) const;
  Result<mcp::CallToolOutcome> decided(const RefundState& state, const ApprovalAnswer& answer) const;
  Result<mcp::CallToolOutcome> pay(const RefundState& state, const ApprovalAnswer& answer) const;
  Result<mcp::CallToolOutcome> found_or(const RefundState& state, const std::string& approved_by,
                                        const Failure& otherwise) const;
  Result<mcp::CallToolOutcome> redeem_failed(const RefundState& state, const Failure& failure) const;
  mcp::CallToolOutcome ask(const RefundState& state, std::string message) const;

  services::ApprovalAsk approval_ask(const services::Ticket& ticket, const services::Order& order,
                                     const services::RefundPolicy& policy, const services::Customer& customer) const;
  StateBinding binding() const;
  // In words: the currency is not among the arguments.
  std::string amount_text(const services::TicketId& ticket_id) const;
  SteadyTime approvals_deadline() const { return desk_.env.clock.steady_now() + kApprovalsMax; }

  const DeskParts& desk_;
  const mcp::ToolCall& call_;
  LineId line_id_;
  std::int64_t amount_minor_;
};

// Which thing of the line this is about: the part whose price was asked for, or the article.
std::string title_of(const services::Order& order, const LineId& line_id, std::int64_t amount_minor) {
  for (const services::ReplacementPart& part : order.parts) {
    if (part.line_id == line_id && part.unit_minor == amount_minor) return part.title;
  }
  const services::OrderLine* line = order.line(line_id);
  return line == nullptr ? std::string() : line->title;
}

mcp::CallToolOutcome receipt_of(const RefundReceipt& receipt, const std::string& approved_by) {
  return structured(Json::object({{"refund_id", receipt.refund_id.value()},
                                  {"amount_cents", receipt.amount.minor_units},
                                  {"currency", receipt.amount.currency.code()},
                                  {"order_id", receipt.order_id.value()},
                                  {"line_id", receipt.line_id.value()},
                                  {"approval_id", receipt.approval_id.value()},
                                  {"token_id", receipt.token_id.value()},
                                  {"approved_by", approved_by.empty() ? Json() : Json(approved_by)}}));
}

StateBinding RefundCall::binding() const {
  return {"refund approval", call_.principal.key(), "tools/call", std::string(kIssueRefund),
          digest_of_arguments(call_.arguments)};
}

services::ApprovalAsk RefundCall::approval_ask(const services::Ticket& ticket, const services::Order& order,
                                               const services::RefundPolicy& policy,
                                               const services::Customer& customer) const {
  services::ApprovalAsk ask;
  ask.ticket_id = ticket.ticket_id.value();
  ask.order_id = order.order_id.value();
  ask.line_id = line_id_.value();
  ask.line_title = title_of(order, line_id_, amount_minor_);
  ask.customer_id = customer.customer_id.value();
  ask.customer_name = customer.name;
  ask.amount_cents = amount_minor_;
  ask.currency = std::string(order.currency.code());
  ask.policy_id = policy.policy_id.value();
  ask.limit_cents = policy.limit.minor_units;
  ask.ticket_subject = ticket.subject;
  ask.requester_issuer = call_.principal.issuer();
  ask.requester_subject = call_.principal.subject();
  ask.requester_name = call_.principal.display_name();
  ask.desk = ticket.desk;
  ask.reason = std::string(call_.arguments.string_at("reason"));
  ask.tool = std::string(kIssueRefund);
  if (const Json* claims =
          call_.meta.extra.find(kRunClaims)) {  // what the host says of itself: shown as such, never decided by
    ask.run_id = visible_line(claims->string_at("run_id"), kClaimCharactersMax);
    ask.model_id = visible_line(claims->string_at("model_id"), kClaimCharactersMax);
    ask.pin_digest = visible_line(claims->string_at("pin_digest"), kClaimCharactersMax);
  }
  return ask;
}

mcp::CallToolOutcome RefundCall::ask(const RefundState& state, std::string message) const {
  const mcp::ElicitRequestUrlParams link{std::move(message),
                                         desk_.page_origin + "/approvals/" + state.approval_id.value()};
  mcp::InputRequiredResult result;
  result.input_requests.push_back({std::string(kInputKey), "elicitation/create", mcp::to_json(link)});
  result.request_state = desk_.states->seal(state, binding());
  return result;
}

Result<mcp::CallToolOutcome> RefundCall::first_round() const {
  POSTERN_TRY(const services::Ticket ticket, ticket_of_case(desk_, call_));
  POSTERN_TRY(const services::Order order, order_of_ticket(desk_, ticket, true));
  POSTERN_TRY(const services::RefundPolicy policy, policy_of_ticket(desk_, ticket, true));
  const auto of_ticket = desk_.payments->refunds_of_ticket(ticket.ticket_id, call_.deadline, call_.stop);
  if (!of_ticket) return ServiceSilent{"payments"};
  const auto of_order = desk_.payments->refunds_of_order(order.order_id, call_.deadline, call_.stop);
  if (!of_order) return ServiceSilent{"payments"};
  POSTERN_TRY_VOID(check_refund(desk_.refund_checks, {ticket, order, policy, *of_ticket, *of_order, line_id_,
                                                      amount_minor_, desk_.env.clock.now()}));
  POSTERN_TRY(const services::Customer customer,
              desk_.customers->customer(desk_.credentials.customers, ticket.customer_id));
  const auto answer =
      desk_.approvals->request(approval_ask(ticket, order, policy, customer), approvals_deadline(), call_.stop);
  if (!answer) {
    if (const auto* refused = answer.error().as<services::ApprovalsRefused>()) return ServiceRefused{refused->sentence};
    return ServiceSilent{"approvals"};
  }
  auto approval_id = services::read_id<ApprovalId>(answer->approval_id);
  if (!approval_id) return ServiceSilent{"approvals"};
  const Money amount{amount_minor_, order.currency};
  return ask({*approval_id, answer->request_digest, ticket.ticket_id},
             "Approval " + approval_id->value() + ": " + display(amount) + " on " + order.order_id.value() +
                 " waits for a supervisor. Nothing was refunded.");
}

Result<bool> RefundCall::answered(const ApprovalId& approval_id) const {
  const mcp::InputResponse* response = nullptr;
  for (const mcp::InputResponse& candidate : call_.params.input_responses) {
    if (candidate.key == kInputKey) response = &candidate;
  }
  if (response == nullptr) return false;
  const std::string_view action = response->response.string_at("action");
  if (action == mcp::text_of(mcp::ElicitAction::kAccept)) return true;
  if (action == mcp::text_of(mcp::ElicitAction::kDecline) || action == mcp::text_of(mcp::ElicitAction::kCancel)) {
    return ElicitationDeclined{approval_id.value(), std::string(action)};
  }
  return mcp::MalformedParams{"params.inputResponses.approval.action", "\"accept\", \"decline\" or \"cancel\""};
}

Result<mcp::CallToolOutcome> RefundCall::later_round(const std::string& state_text) const {
  POSTERN_TRY(const RefundState state, desk_.states->open(state_text, binding()));
  const auto live = desk_.cases->find(call_.principal, call_.arguments.string_at("case_handle"));
  if (live && *live != state.ticket_id) return RequestStateRefused{"ticket"};
  if (!live) {
    if (live.error().as<NoOpenCase>() == nullptr) return live.error();
    // The handle ran out while somebody decided: the case is opened anew, for the same principal and ticket and no
    // other.
    POSTERN_TRY_VOID(ticket_of_caller(desk_, call_.principal, state.ticket_id));
  }
  POSTERN_TRY(const bool has_answer, answered(state.approval_id));
  if (!has_answer) {
    return ask(state, "Approval " + state.approval_id.value() + " waits for a supervisor. Nothing was refunded.");
  }
  const auto answer =
      desk_.approvals->redeem(state.approval_id.value(), call_.principal.issuer(), call_.principal.subject(),
                              state.request_digest, approvals_deadline(), call_.stop);
  if (!answer) return redeem_failed(state, answer.error());
  return decided(state, *answer);
}

std::string RefundCall::amount_text(const services::TicketId& ticket_id) const {
  const auto ticket = desk_.customers->ticket(desk_.credentials.customers, ticket_id);
  if (ticket) {
    if (const auto order = order_of_ticket(desk_, *ticket, true)) return display(Money{amount_minor_, order->currency});
  }
  return std::to_string(amount_minor_) + " minor units";
}

Result<mcp::CallToolOutcome> RefundCall::found_or(const RefundState& state, const std::string& approved_by,
                                                  const Failure& otherwise) const {
  POSTERN_TRY(const RefundReceipt receipt,
              find_refund(desk_, state.approval_id, amount_text(state.ticket_id), otherwise));
  return receipt_of(receipt, approved_by);
}

// An earlier round may have paid before its answer was lost, so payments has the first word.
Result<mcp::CallToolOutcome> RefundCall::redeem_failed(const RefundState& state, const Failure& failure) const {
  if (const auto* refused = failure.as<services::ApprovalsRefused>()) return ServiceRefused{refused->sentence};
  return found_or(state, "", ServiceSilent{"approvals"});
}

Result<mcp::CallToolOutcome> RefundCall::decided(const RefundState& state, const ApprovalAnswer& answer) const {
  const std::string& id = state.approval_id.value();
  switch (answer.status) {
    case ApprovalStatus::kPending:
      return ask(state, "Approval " + id + " is still pending. Nothing was refunded.");
    case ApprovalStatus::kApproved:
      return pay(state, answer);
    case ApprovalStatus::kExpired:
      return ApprovalExpired{id};
    case ApprovalStatus::kWithdrawn:
      return ApprovalWithdrawn{id};
    case ApprovalStatus::kLapsed:
      return found_or(state, answer.decided_by, ApprovalLapsed{id});
    case ApprovalStatus::kDenied:
      break;
  }
  const ApprovalDenied denied{id, answer.decided_by};
  if (answer.note.empty()) return denied;
  return mcp::CallToolResult{
      Json::array({mcp::text_block(denied.text()), mcp::text_block("The supervisor's note: \"" + answer.note + "\"")}),
      std::nullopt, true};
}

Result<mcp::CallToolOutcome> RefundCall::pay(const RefundState& state, const ApprovalAnswer& answer) const {
  const auto action = services::read_refund_action(answer.action);
  const bool same = action && answer.token && answer.request_digest == state.request_digest &&
                    action->ticket_id == state.ticket_id && action->line_id == line_id_ &&
                    action->amount.minor_units == amount_minor_;
  if (!same) return ForeignDecision{state.approval_id.value()};
  POSTERN_TRY(const RefundReceipt receipt,
              pay_refund(desk_, {state.approval_id, *action, answer.request_digest, *answer.token}));
  return receipt_of(receipt, answer.decided_by);
}

}  // namespace

Result<mcp::CallToolOutcome> issue_refund(const DeskParts& desk, const mcp::ToolCall& call) {
  return RefundCall(desk, call).run();
}

}  // namespace postern::desk
