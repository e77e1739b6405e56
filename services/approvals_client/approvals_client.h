// The desk's way to postern-approvals: ask for a decision, look at it, redeem it, take it back.
//
// One call is one request over loopback HTTP with the desk's approvals:request credential. Nothing here decides: a
// decision is made by a person on the approval page, and only postern-approvals can issue the token that payments
// accepts.
//
// Thread-safe. Calls block until `deadline` at the latest; run them in the blocking lane. Failures: those of
// HttpClient, approvals.answer_malformed, approvals.refused (the service said no: its id and its sentence are inside),
// and approvals.unavailable for its 503.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "services/approval_token/approval_token.h"
#include "services/service_authentication/service_credential.h"
#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/transport/http_client.h"

namespace postern::services {

// The body of POST /requests. `claims` is what the host says of itself.
struct ApprovalAsk {
  std::string ticket_id;
  std::string order_id;
  std::string line_id;
  std::string line_title;
  std::string customer_id;
  std::string customer_name;
  std::int64_t amount_cents = 0;
  std::string currency;
  std::string policy_id;
  std::int64_t limit_cents = 0;
  std::string ticket_subject;
  std::string requester_issuer;
  std::string requester_subject;
  std::string requester_name;
  std::string desk;
  std::string reason;
  std::string run_id;
  std::string model_id;
  std::string tool;
  std::string pin_digest;
};

enum class ApprovalStatus {
  kPending,
  kApproved,
  kDenied,
  kExpired,
  kWithdrawn,
  kLapsed,  // approved, and not used within its 300 s
};
[[nodiscard]] std::string_view text_of(ApprovalStatus status);

struct ApprovalAnswer {
  std::string approval_id;
  ApprovalStatus status = ApprovalStatus::kPending;
  std::string request_digest;
  std::string decided_by;  // a name; made visible
  std::string note;        // made visible
  std::string token_id;    // "APV-0001"
  std::int64_t expires_in_s = 0;
  // Only of redeem() of an approved request.
  std::optional<ApprovalToken> token;
  Json action;  // the stored action, as payments wants it
};

class ApprovalsClient {
 public:
  virtual ~ApprovalsClient() = default;
  [[nodiscard]] virtual Result<ApprovalAnswer> request(const ApprovalAsk& ask, SteadyTime deadline,
                                                       std::stop_token stop = {}) = 0;
  // For the requester only; anybody else gets approvals.refused with the id approval.no_such_request.
  [[nodiscard]] virtual Result<ApprovalAnswer> redeem(std::string_view approval_id, std::string_view requester_issuer,
                                                      std::string_view requester_subject,
                                                      std::string_view request_digest, SteadyTime deadline,
                                                      std::stop_token stop = {}) = 0;
  [[nodiscard]] virtual Result<ApprovalAnswer> withdraw(std::string_view approval_id, std::string_view requester_issuer,
                                                        std::string_view requester_subject, SteadyTime deadline,
                                                        std::stop_token stop = {}) = 0;
  [[nodiscard]] virtual Result<ApprovalAnswer> state(std::string_view approval_id, std::string_view requester_issuer,
                                                     std::string_view requester_subject, SteadyTime deadline,
                                                     std::stop_token stop = {}) = 0;
};

// Over `client`, which must outlive it. `approvals_url` is the origin of the internal listener.
[[nodiscard]] std::unique_ptr<ApprovalsClient> make_approvals_client(HttpClient& client, Uri approvals_url,
                                                                     ServiceCredential credential);

struct ApprovalsAnswerMalformed {
  static constexpr std::string_view kId = "approvals.answer_malformed";
  static constexpr Layer kLayer = Layer::kSchema;
  static constexpr Disposition kDisposition = Disposition::kUnavailable;
  std::string reason;
  [[nodiscard]] std::string text() const;
};
struct ApprovalsRefused {
  static constexpr std::string_view kId = "approvals.refused";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  int status = 0;
  std::string id;        // of the service's failure
  std::string sentence;  // made visible
  [[nodiscard]] std::string text() const;
};
struct ApprovalsUnavailable {
  static constexpr std::string_view kId = "approvals.unavailable";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kUnavailable;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::services
