// Redeeming an approval: the requester's retry gets the single-use token. Only its id and its digest are stored.
#include "services/approvals/approval_store.h"
#include "services/approvals/failures.h"
#include "services/approvals/redeem_reply.h"
#include "services/approvals/request_rows.h"
#include "wire/base/secret.h"

namespace postern::approvals {

using services::ApprovalId;
using services::Connection;
using services::PersonKey;
using services::Statement;
using services::TokenId;

namespace {

WallTime whole_seconds(WallTime time) {
  return wall_time_of_unix_seconds(unix_seconds(time));
}

services::ApprovalTokenPayload payload_of(const ApprovalRequest& request, TokenId token_id, WallTime issued_at) {
  return {.token_id = std::move(token_id),
          .approval_id = request.id,
          .request_digest = request.request_digest,
          .action = request.asked.action,
          .requester = request.asked.requester,
          .approved_by = request.decided_by,
          .issued_at = issued_at,
          .use_by = whole_seconds(request.use_by())};
}

// The token's id and time: those of the first redemption, or new ones with their audit row.
struct Issued {
  TokenId token_id;
  WallTime issued_at;
  bool is_new = false;
};

Result<Issued> find_or_number_token(Connection& connection, const ApprovalId& id, WallTime now) {
  {
    Statement row = connection.statement("SELECT id, issued_at_ms FROM approval_tokens WHERE request_id = ?1");
    POSTERN_TRY(const bool found, row.bind(id).step());
    if (found) return Issued{row.id<TokenId>(0), row.time(1), false};
  }
  Statement last = connection.statement("SELECT coalesce(max(number), 0) FROM approval_tokens");
  POSTERN_TRY(const bool found, last.step());
  const std::int64_t number = found ? last.integer(0) + 1 : 1;
  return Issued{TokenId(services::numbered("APV-", number)), whole_seconds(now), true};
}

Status store_token(Connection& connection, const ApprovalRequest& request, const Issued& issued,
                   const std::string& digest, WallTime now) {
  POSTERN_TRY_VOID(
      connection
          .statement("INSERT INTO approval_tokens (id, request_id, digest, issued_at_ms, use_by_ms) VALUES (?1, ?2, "
                     "?3, ?4, ?5)")
          .bind(issued.token_id, request.id, digest, issued.issued_at, whole_seconds(request.use_by()))
          .run());
  const AuditEvent event{.actor_subject = request.asked.requester.subject,
                         .actor_name = request.asked.requester_name,
                         .channel = "desk",
                         .action = "token.issued",
                         .object = request.id.value(),
                         .version_before = request.version,
                         .version_after = request.version,
                         .detail = Json::object({{"token_id", issued.token_id.value()}, {"token_digest", digest}})};
  return append_audit(connection, event, now);
}

constexpr RedemptionCheck kRedemptionChecks[] = {
    {"requester", [](const RedemptionCheckContext& c) { return c.request.asked.requester == c.requester; }},
    {"digest",
     [](const RedemptionCheckContext& c) {
       return equal_in_constant_time(c.request.request_digest, c.request_digest);
     }},
};

}  // namespace

std::span<const RedemptionCheck> product_redemption_checks() {
  return kRedemptionChecks;
}

Status ApprovalStore::may_redeem(const ApprovalRequest& request, const PersonKey& requester,
                                 std::string_view request_digest) const {
  for (const RedemptionCheck& check : options_.redemption_checks) {
    if (!check.holds({request, requester, request_digest})) return NoSuchRequest{};
  }
  return {};
}

Result<Redemption> ApprovalStore::redeem(const ApprovalId& id, const PersonKey& requester,
                                         const std::string& request_digest, bool paid_already, WallTime now) {
  return database_->write<Redemption>([&](Connection& connection) -> Result<Redemption> {
    POSTERN_TRY(ApprovalRequest request, find_request(connection, id));
    POSTERN_TRY_VOID(may_redeem(request, requester, request_digest));
    Redemption redemption{.request = std::move(request), .lapsed = false, .token = std::nullopt, .token_id = {}};
    if (redemption.request.status != RequestStatus::kApproved) return redemption;
    redemption.lapsed = now >= whole_seconds(redemption.request.use_by()) && !paid_already;
    if (redemption.lapsed) return redemption;
    POSTERN_TRY(const Issued issued, find_or_number_token(connection, id, now));
    services::ApprovalToken token = issuer_.issue(payload_of(redemption.request, issued.token_id, issued.issued_at));
    if (issued.is_new) {
      POSTERN_TRY_VOID(store_token(connection, redemption.request, issued, RedeemReply::digest_of(token), now));
    }
    redemption.token_id = issued.token_id;
    redemption.token = std::move(token);
    return redemption;
  });
}

}  // namespace postern::approvals
