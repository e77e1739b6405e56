#include "services/approval_token/approval_token.h"

#include <array>
#include <optional>

#include "wire/base/bytes.h"
#include "wire/base/canonical_json.h"

namespace postern::services {
namespace {

constexpr std::size_t kTokenBytesMax = 4096;

Status same(const ApprovalCheckContext& context, bool equal, std::string_view member) {
  if (equal) return {};
  return ActionMismatch{context.approved.approval_id, member};
}

Status check_ticket(const ApprovalCheckContext& c) {
  return same(c, c.presented.ticket_id == c.approved.action.ticket_id, "ticket");
}
Status check_order(const ApprovalCheckContext& c) {
  return same(c, c.presented.order_id == c.approved.action.order_id, "order");
}
Status check_line(const ApprovalCheckContext& c) {
  return same(c, c.presented.line_id == c.approved.action.line_id, "line");
}
Status check_currency(const ApprovalCheckContext& c) {
  return same(c, c.presented.amount.currency == c.approved.action.amount.currency, "currency");
}
Status check_amount(const ApprovalCheckContext& c) {
  return same(c, c.presented.amount.minor_units == c.approved.action.amount.minor_units, "amount");
}
Status check_policy(const ApprovalCheckContext& c) {
  return same(c, c.presented.policy_id == c.approved.action.policy_id, "policy");
}
// The digest is computed from what is presented, not believed: so it binds the same members as the rows above, and the
// requester.
Status check_digest(const ApprovalCheckContext& c) {
  const bool equal = c.presented_digest == c.approved.request_digest &&
                     request_digest(c.presented, c.approved.requester) == c.approved.request_digest;
  return same(c, equal, "digest");
}
Status check_expiry(const ApprovalCheckContext& c) {
  if (c.now < c.approved.use_by) return {};
  return TokenExpired{c.approved.approval_id, c.approved.use_by};
}

constexpr std::array<ApprovalCheck, 8> kApprovalChecks{{
    {"ticket", check_ticket},
    {"order", check_order},
    {"line", check_line},
    {"currency", check_currency},
    {"amount", check_amount},
    {"policy", check_policy},
    {"digest", check_digest},
    {"expiry", check_expiry},
}};

std::optional<ApprovalTokenPayload> read_payload(const Json& json) {
  const auto token_id = read_id<TokenId>(json.string_at("token_id"));
  const auto approval_id = read_id<ApprovalId>(json.string_at("approval_id"));
  auto action = read_refund_action(json);
  const Json* requester_json = json.find("requester");
  const Json* approved_by_json = json.find("approved_by");
  if (!token_id || !approval_id || !action || requester_json == nullptr || approved_by_json == nullptr)
    return std::nullopt;
  auto requester = read_person_key(*requester_json);
  auto approved_by = read_person_key(*approved_by_json);
  const auto issued_at = json.integer_at("issued_at");
  const auto use_by = json.integer_at("use_by");
  const std::string_view digest = json.string_at("request_digest");
  if (!requester || !approved_by || !issued_at || !use_by || digest.empty()) return std::nullopt;
  return ApprovalTokenPayload{*token_id,
                              *approval_id,
                              std::string(digest),
                              *std::move(action),
                              *std::move(requester),
                              *std::move(approved_by),
                              wall_time_of_unix_seconds(*issued_at),
                              wall_time_of_unix_seconds(*use_by)};
}

}  // namespace

std::string canonical_payload(const ApprovalTokenPayload& payload) {
  Json json = to_json(payload.action);
  json.set("token_id", payload.token_id.value());
  json.set("approval_id", payload.approval_id.value());
  json.set("request_digest", payload.request_digest);
  json.set("requester", to_json(payload.requester));
  json.set("approved_by", to_json(payload.approved_by));
  json.set("issued_at", unix_seconds(payload.issued_at));
  json.set("use_by", unix_seconds(payload.use_by));
  return canonical_json(json);
}

std::span<const ApprovalCheck> product_approval_checks() {
  return kApprovalChecks;
}

Result<AuthenticApproval> ApprovalTokenVerifier::open(const ApprovalToken& token) const {
  std::string_view text = token.reveal(Passkey<ApprovalTokenVerifier>{});
  if (text.size() > kTokenBytesMax || !text.starts_with(kApprovalTokenPrefix))
    return TokenInvalid{"it has not the form of one"};
  text.remove_prefix(kApprovalTokenPrefix.size());
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return TokenInvalid{"it has not the form of one"};
  const auto payload_text = base64url_decode(text.substr(0, dot));
  const auto signature = base64url_decode(text.substr(dot + 1));
  if (!payload_text || !signature) return TokenInvalid{"it has not the form of one"};
  // Nothing of the payload is looked at before its signature holds.
  if (!key_.verify(std::string(kApprovalTokenDomain) + *payload_text, *signature)) {
    return TokenInvalid{"its signature is not of the approvals service"};
  }
  const auto json = parse_json(*payload_text, {kTokenBytesMax, 4});
  if (!json) return TokenInvalid{"its payload cannot be read"};
  auto payload = read_payload(*json);
  // One payload has one text, so that two tokens never mean the same thing.
  if (!payload || canonical_payload(*payload) != *payload_text) return TokenInvalid{"its payload cannot be read"};
  return AuthenticApproval(*std::move(payload));
}

Result<ApprovedRefund> ApprovalTokenVerifier::authorize(const AuthenticApproval& approval, const RefundAction& action,
                                                        std::string_view digest, WallTime now) const {
  const ApprovalCheckContext context{approval.payload(), action, digest, now};
  for (const ApprovalCheck& check : checks_) POSTERN_TRY_VOID(check.run(context));
  return ApprovedRefund(action, approval.payload());
}

std::string TokenInvalid::text() const {
  return "The approval token was refused: " + std::string(reason) +
         ". Nothing was refunded. Ask for the approval's token again.";
}

std::string TokenExpired::text() const {
  return "Approval " + approval_id.value() + " could be used until " + rfc3339(use_by) +
         ", and that time is over. Nothing was refunded. A new request is needed.";
}

std::string ActionMismatch::text() const {
  return "Approval " + approval_id.value() + " was given for another " + std::string(member) +
         " than this refund has. Nothing was refunded. Ask for an approval of exactly this refund.";
}

}  // namespace postern::services
