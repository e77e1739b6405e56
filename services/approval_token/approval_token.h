// The single-use approval token: proof that one exact action was approved, by whom, and until when it may be paid.
//
//   "apt_" base64url(canonical JSON payload) "." base64url(Ed25519 signature over the domain tag and the payload)
//
// Approvals issues it (services/approval_token_issuer), payments verifies it here and holds the public key only.
// Verification has two steps. open() makes sure that the token is authentic: form and signature. authorize() compares
// what is to be paid with what was approved, row by row, and gives the only thing that payments pays. Between the two a
// payer looks whether the token is spent already, because a repeated request must get its receipt again even after the
// token's time.
//
// Thread-safe, immutable. Reads no clock.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "services/domain/ids.h"
#include "services/domain/refund_action.h"
#include "wire/base/clock.h"
#include "wire/base/ed25519.h"
#include "wire/base/result.h"
#include "wire/base/secret.h"

namespace postern::approvals {
class RedeemReply;
}

namespace postern::services {

class ApprovalTokenVerifier;
class HttpPaymentsClient;
struct ApprovalTokenTag {
  using RevealedBy = Reveals<ApprovalTokenVerifier, HttpPaymentsClient, approvals::RedeemReply>;
};
using ApprovalToken = Secret<ApprovalTokenTag>;

struct ApprovalTokenPayload {
  TokenId token_id;
  ApprovalId approval_id;
  std::string request_digest;  // request_digest(action, requester)
  RefundAction action;
  PersonKey requester;
  PersonKey approved_by;
  WallTime issued_at;  // whole seconds
  WallTime use_by;
};

// The bytes that are signed, without the domain tag. Deterministic.
[[nodiscard]] std::string canonical_payload(const ApprovalTokenPayload& payload);
// What stands before the payload under the signature, so that a signature made for another purpose never fits here.
inline constexpr std::string_view kApprovalTokenDomain = "postern approval token v1\n";
inline constexpr std::string_view kApprovalTokenPrefix = "apt_";

// A token whose form and signature are right. Says nothing yet about what is to be paid.
class AuthenticApproval {
 public:
  [[nodiscard]] const ApprovalTokenPayload& payload() const { return payload_; }

 private:
  friend class ApprovalTokenVerifier;
  explicit AuthenticApproval(ApprovalTokenPayload payload) : payload_(std::move(payload)) {}
  ApprovalTokenPayload payload_;
};

// An action that a token approves, at a time when it may be paid.
class ApprovedRefund {
 public:
  [[nodiscard]] const RefundAction& action() const { return action_; }
  [[nodiscard]] const ApprovalTokenPayload& payload() const { return payload_; }

 private:
  friend class ApprovalTokenVerifier;
  ApprovedRefund(RefundAction action, ApprovalTokenPayload payload)
      : action_(std::move(action)), payload_(std::move(payload)) {}
  RefundAction action_;  // as presented
  ApprovalTokenPayload payload_;
};

struct ApprovalCheckContext {
  const ApprovalTokenPayload& approved;
  const RefundAction& presented;
  std::string_view presented_digest;
  WallTime now;
};
struct ApprovalCheck {
  std::string_view name;
  Status (*run)(const ApprovalCheckContext& context);
};
// "ticket", "order", "line", "currency", "amount", "policy", "digest", "expiry". The product passes it whole; the lab
// passes it minus a row to see which attack that row stops.
[[nodiscard]] std::span<const ApprovalCheck> product_approval_checks();

class ApprovalTokenVerifier {
 public:
  explicit ApprovalTokenVerifier(Ed25519PublicKey key,
                                 std::span<const ApprovalCheck> checks = product_approval_checks())
      : key_(std::move(key)), checks_(checks) {}

  // `payment.token_invalid`
  [[nodiscard]] Result<AuthenticApproval> open(const ApprovalToken& token) const;
  // `payment.action_mismatch` names the first member that differs; `payment.token_expired`.
  [[nodiscard]] Result<ApprovedRefund> authorize(const AuthenticApproval& approval, const RefundAction& action,
                                                 std::string_view digest, WallTime now) const;

 private:
  Ed25519PublicKey key_;
  std::span<const ApprovalCheck> checks_;
};

struct TokenInvalid {
  static constexpr std::string_view kId = "payment.token_invalid";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kForbidden;
  std::string_view reason;
  [[nodiscard]] std::string text() const;
};
struct TokenExpired {
  static constexpr std::string_view kId = "payment.token_expired";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kGone;
  ApprovalId approval_id;
  WallTime use_by;
  [[nodiscard]] std::string text() const;
};
struct ActionMismatch {
  static constexpr std::string_view kId = "payment.action_mismatch";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUnprocessable;
  ApprovalId approval_id;
  std::string_view member;  // "amount"
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::services
