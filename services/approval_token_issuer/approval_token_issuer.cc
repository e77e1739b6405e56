#include "services/approval_token_issuer/approval_token_issuer.h"

#include "wire/base/bytes.h"
#include "wire/base/check.h"

namespace postern::services {

ApprovalToken ApprovalTokenIssuer::issue(const ApprovalTokenPayload& payload) const {
  POSTERN_CHECK(payload.request_digest == request_digest(payload.action, payload.requester));
  const std::string text = canonical_payload(payload);
  const std::string signature = signer_.sign(std::string(kApprovalTokenDomain) + text);
  return ApprovalToken::take(std::string(kApprovalTokenPrefix) + base64url(text) + "." + base64url(signature));
}

}  // namespace postern::services
