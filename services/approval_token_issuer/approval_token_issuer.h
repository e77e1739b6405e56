// Makes approval tokens. A library of its own, so that payments, which only verifies, holds no signing code.
#pragma once

#include <utility>

#include "services/approval_token/approval_token.h"
#include "wire/signing/ed25519_signer.h"

namespace postern::services {

// Thread-safe. Deterministic: the same payload gives the same token, so a redeemed approval can be redeemed again
// without storing it.
class ApprovalTokenIssuer {
 public:
  explicit ApprovalTokenIssuer(Ed25519Signer signer) : signer_(std::move(signer)) {}
  // REQUIRES payload.request_digest == request_digest(payload.action, payload.requester): sign nothing else.
  [[nodiscard]] ApprovalToken issue(const ApprovalTokenPayload& payload) const;
  [[nodiscard]] Ed25519PublicKey public_key() const { return signer_.public_key(); }

 private:
  Ed25519Signer signer_;
};

}  // namespace postern::services
