// The action that is approved and paid: one refund of one line.
//
// What the supervisor saw is what payments executes. So the action has one canonical form, and `request_digest` is the
// SHA-256 of that form together with who asked: it stands on the page, in the approval token, in the logs and in the
// receipt's trail.
#pragma once

#include <optional>
#include <string>

#include "services/domain/ids.h"
#include "wire/base/json.h"
#include "wire/base/money.h"
#include "wire/base/result.h"

namespace postern::services {

// Who somebody is, to a machine: issuer and subject of a verified principal.
struct PersonKey {
  std::string issuer;
  std::string subject;
  friend bool operator==(const PersonKey& a, const PersonKey& b) = default;
};
[[nodiscard]] Json to_json(const PersonKey& person);  // {"issuer","subject"}
[[nodiscard]] std::optional<PersonKey> read_person_key(const Json& json);

struct RefundAction {
  TicketId ticket_id;
  OrderId order_id;
  LineId line_id;
  Money amount;  // more than zero
  PolicyId policy_id;
  friend bool operator==(const RefundAction& a, const RefundAction& b) = default;
};

// {"ticket_id","order_id","line_id","amount_cents","currency","policy_id"}
[[nodiscard]] Json to_json(const RefundAction& action);
// Reads those members; others are not looked at. `refund.malformed_action` names the member that is wrong.
[[nodiscard]] Result<RefundAction> read_refund_action(const Json& json);

// 64 lower-case hex digits over the canonical JSON of the action and its requester. One open request per digest.
[[nodiscard]] std::string request_digest(const RefundAction& action, const PersonKey& requester);

struct MalformedAction {
  static constexpr std::string_view kId = "refund.malformed_action";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  std::string_view member;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::services
