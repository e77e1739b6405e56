// Verbs onto the mover of money: what an approval pays, and how often.
#include "tests/public/verbs.h"
#include "tests/support/payments_world.h"

namespace postern::test {
namespace {

services::RefundAction presented(const CaseFile& file) {
  services::RefundAction action = refund_action();
  const auto given = given_of(file, "presented");
  if (!given) return action;
  for (const auto& one : given->parameters) {
    if (one.first == "amount_cents") action.amount.minor_units = std::stoll(one.second);
    if (one.first == "currency") action.amount.currency = *Currency::of_code(one.second);
    if (one.first == "order_id") action.order_id = services::OrderId(one.second);
    if (one.first == "line_id") action.line_id = services::LineId(one.second);
    if (one.first == "ticket_id") action.ticket_id = services::TicketId(one.second);
  }
  return action;
}

// 4800 cents of T-1042 were approved; this is what comes to payments with that approval.
Status play_pay(const CaseFile& file, const CaseStep& step) {
  PaymentsWorld world;
  const services::RefundAction approved = refund_action();
  const services::RefundAction action = presented(file);
  const auto times = step.parameters.find("times");
  Status outcome;
  for (int i = times == step.parameters.end() ? 1 : std::stoi(times->second); i > 0; --i) {
    const auto paid = world.payments_->refund(world.token(approved), action, PaymentsWorld::digest(approved));
    outcome = paid ? Status() : Status(paid.error());
  }
  POSTERN_TRY_VOID(same_as_named(step, "refunds", std::to_string(world.refunds_of_ticket())));
  return outcome;
}

// Each is approved, and each asks for its own.
Status play_pay_each(const CaseFile& file, const CaseStep& step) {
  PaymentsWorld world;
  Status outcome;
  std::int64_t number = 0;
  for (const std::string& text : file.given()) {
    POSTERN_TRY(const CaseStep given, parse_step(text));
    const auto action = refund_action(std::stoll(given.parameters.at("amount_cents")), given.parameters.at("line_id"));
    const auto paid = world.pay(action, ++number);
    outcome = paid ? Status() : Status(paid.error());
  }
  POSTERN_TRY_VOID(same_as_named(step, "refunds", std::to_string(world.refunds_of_ticket())));
  return outcome;
}

constexpr Verb kVerbs[] = {{"pay", play_pay}, {"pay-each", play_pay_each}};

}  // namespace

std::span<const Verb> money_verbs() {
  return kVerbs;
}

}  // namespace postern::test
