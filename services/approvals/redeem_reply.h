// The one place of this process that opens an approval token: to write it into the answer to the requester's desk, and
// to take its digest.
#pragma once

#include <string>

#include "services/approval_token/approval_token.h"
#include "wire/base/json.h"

namespace postern::approvals {

class RedeemReply {
 public:
  // SHA-256 in hex: what is stored of a token.
  [[nodiscard]] static std::string digest_of(const services::ApprovalToken& token);
  // Adds the member "token". The answer goes to the caller that presented approvals:request, and nowhere else.
  static void write(Json& answer, const services::ApprovalToken& token);
};

}  // namespace postern::approvals
