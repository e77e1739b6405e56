// An approval of the supervisor in tests: the action of T-1042, its token, and the key that signs it.
#pragma once

#include <string>
#include <utility>

#include "services/approval_token/approval_token.h"
#include "services/approval_token_issuer/approval_token_issuer.h"
#include "wire/base/check.h"

namespace postern::test {

inline services::ApprovalTokenIssuer issuer_of_seed(char fill) {
  auto signer = Ed25519Signer::of_seed(SigningSeed::take(std::string(32, fill)));
  POSTERN_CHECK(signer.has_value());
  return services::ApprovalTokenIssuer(*std::move(signer));
}

inline services::RefundAction refund_action(std::int64_t cents = 4800, std::string line = "LN-1",
                                            const char* currency = "USD") {
  return {services::TicketId("T-1042"), services::OrderId("ORD-5521"), services::LineId(std::move(line)),
          Money{cents, *Currency::of_code(currency)}, services::PolicyId("POL-DOA-30")};
}

// Approval number `number`, good from `now` for 300 seconds.
inline services::ApprovalTokenPayload approval_of(const services::RefundAction& action, std::int64_t number,
                                                  WallTime now) {
  const services::PersonKey rowan{"http://127.0.0.1:8932", "rowan"};
  return {services::TokenId(services::numbered("APV-", number)),
          services::ApprovalId(services::numbered("APR-", number)),
          request_digest(action, rowan),
          action,
          rowan,
          {"http://127.0.0.1:8932", "morgan"},
          now,
          now + Seconds(300)};
}

}  // namespace postern::test
