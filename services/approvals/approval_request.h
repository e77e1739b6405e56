// An approval request: one refund that somebody asked for and that somebody else has to decide.
//
// The stored action is what payments will execute and what the page shows; nothing that a model wrote takes part in it.
// Its digest (services/domain/refund_action.h) binds the action and the requester: neither the case handle, nor the
// model's reason, nor what the host claims of itself, so that a resumed run finds the same request again.
//
// Plain values. Text in them is as it came; whoever shows it makes it visible first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "services/domain/ids.h"
#include "services/domain/refund_action.h"
#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/money.h"
#include "wire/base/result.h"

namespace postern::approvals {

// All but kPending are final. kLapsed is not stored: it is an approval that was not used within its time.
enum class RequestStatus { kPending, kApproved, kDenied, kExpired, kWithdrawn };
[[nodiscard]] std::string_view text_of(RequestStatus status);
[[nodiscard]] std::optional<RequestStatus> request_status_of(std::string_view text);

// What the desk asks for.
struct NewRequest {
  services::RefundAction action;  // exactly what payments is told
  services::PersonKey requester;  // as the desk verified it
  std::string requester_name;     // for people only
  std::string line_title;
  services::CustomerId customer_id;
  std::string customer_name;
  Money limit;  // of the policy
  std::string ticket_subject;
  std::string desk;
  std::string reason;  // written by a model, not checked
  // What the host says of itself; claims, nothing more.
  std::string run_id;
  std::string model_id;
  std::string tool;
  std::string pin_digest;
};

struct ApprovalRequest {
  services::ApprovalId id;  // "APR-0001"
  std::int64_t version = 1;
  RequestStatus status = RequestStatus::kPending;
  NewRequest asked;
  std::string request_digest;  // 64 hex digits
  std::string arguments_canonical;
  WallTime created_at;
  WallTime expires_at;
  // Of the decision; empty before it.
  services::PersonKey decided_by;
  std::string decided_by_name;
  std::optional<WallTime> decided_at;
  std::string note;

  // The state at that time: a pending request whose time is over is expired, whether or not somebody has written that
  // down yet.
  [[nodiscard]] RequestStatus status_at(WallTime now) const {
    return status == RequestStatus::kPending && now >= expires_at ? RequestStatus::kExpired : status;
  }
  // The end of the time in which an approval may be used. REQUIRES status kApproved.
  [[nodiscard]] WallTime use_by() const { return *decided_at + kUseTime; }

  static constexpr Seconds kUseTime{300};
};

// The body of POST /requests of the internal listener. Unknown members, missing ones, an unknown currency and an amount
// that is not positive are refused: an absent amount never means all of it.
[[nodiscard]] Result<NewRequest> new_request_of_json(const Json& json);
// The stored action as payments wants it.
[[nodiscard]] Json action_json(const ApprovalRequest& request);

struct MalformedRequest {
  static constexpr std::string_view kId = "approval.malformed_request";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::approvals
