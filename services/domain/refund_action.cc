#include "services/domain/refund_action.h"

#include "wire/base/canonical_json.h"
#include "wire/base/digest.h"

namespace postern::services {

Json to_json(const PersonKey& person) {
  return Json::object({{"issuer", person.issuer}, {"subject", person.subject}});
}

std::optional<PersonKey> read_person_key(const Json& json) {
  PersonKey person{std::string(json.string_at("issuer")), std::string(json.string_at("subject"))};
  if (person.issuer.empty() || person.subject.empty()) return std::nullopt;
  return person;
}

Json to_json(const RefundAction& action) {
  return Json::object({{"ticket_id", action.ticket_id.value()},
                       {"order_id", action.order_id.value()},
                       {"line_id", action.line_id.value()},
                       {"amount_cents", action.amount.minor_units},
                       {"currency", action.amount.currency.code()},
                       {"policy_id", action.policy_id.value()}});
}

Result<RefundAction> read_refund_action(const Json& json) {
  const auto ticket_id = read_id<TicketId>(json.string_at("ticket_id"));
  if (!ticket_id) return MalformedAction{"ticket_id"};
  const auto order_id = read_id<OrderId>(json.string_at("order_id"));
  if (!order_id) return MalformedAction{"order_id"};
  const auto line_id = read_id<LineId>(json.string_at("line_id"));
  if (!line_id) return MalformedAction{"line_id"};
  const auto amount = json.integer_at("amount_cents");
  if (!amount || *amount <= 0 || *amount > kSafeIntegerMax) return MalformedAction{"amount_cents"};
  const auto currency = Currency::of_code(json.string_at("currency"));
  if (!currency) return MalformedAction{"currency"};
  const auto policy_id = read_id<PolicyId>(json.string_at("policy_id"));
  if (!policy_id) return MalformedAction{"policy_id"};
  return RefundAction{*ticket_id, *order_id, *line_id, Money{*amount, *currency}, *policy_id};
}

std::string request_digest(const RefundAction& action, const PersonKey& requester) {
  Json bound = to_json(action);
  bound.set("requester", to_json(requester));
  return sha256_hex(canonical_json(bound));
}

std::string MalformedAction::text() const {
  return "The refund's " + std::string(member) + " is missing or has not its form. Nothing was refunded.";
}

}  // namespace postern::services
