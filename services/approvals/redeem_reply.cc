#include "services/approvals/redeem_reply.h"

#include "wire/base/digest.h"

namespace postern::approvals {

std::string RedeemReply::digest_of(const services::ApprovalToken& token) {
  return sha256_hex(token.reveal(Passkey<RedeemReply>{}));
}

void RedeemReply::write(Json& answer, const services::ApprovalToken& token) {
  answer.set("token", std::string(token.reveal(Passkey<RedeemReply>{})));
}

}  // namespace postern::approvals
