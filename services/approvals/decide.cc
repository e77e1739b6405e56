// Deciding and withdrawing: who may, and the one statement that does it.
#include <algorithm>

#include "services/approvals/approval_store.h"
#include "services/approvals/failures.h"
#include "services/approvals/html.h"
#include "services/approvals/request_rows.h"
#include "wire/base/visible_text.h"

namespace postern::approvals {

using services::ApprovalId;
using services::Connection;
using services::PersonKey;
using services::Statement;
using services::VerifiedAccessToken;

namespace {

constexpr std::string_view kApproveScope = "refunds:approve";

std::size_t characters_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// The rules that hold whatever state the request is in come first: the requester, the desk, the right, the sign-in.
Status check_requester(const DecisionCheckContext& c) {
  const PersonKey decider{c.decider.principal().issuer(), c.decider.principal().subject()};
  return c.request.asked.requester == decider ? Status(OwnRequest{}) : Status();
}

Status check_desk(const DecisionCheckContext& c) {
  POSTERN_TRY(const std::optional<StaffMember> member, c.staff.find(c.decider.principal().subject()));
  return member && member->supervises(c.request.asked.desk) ? Status() : Status(NoSuchRequest{});
}

Status check_scope(const DecisionCheckContext& c) {
  if (c.decision.verdict == Verdict::kDeny || c.decider.scopes().contains(kApproveScope)) return {};
  return ApproveScopeMissing{};
}

Status check_sign_in(const DecisionCheckContext& c) {
  if (c.decision.verdict == Verdict::kDeny) return {};
  if (!c.decider.auth_time()) return StaleSignIn{};
  const auto age = std::chrono::duration_cast<Seconds>(c.now - *c.decider.auth_time());
  if (age > ApprovalStore::kSignInAgeMax) return StaleSignIn{age.count()};
  return {};
}

// Why nothing can be decided or withdrawn any more; fine while it is pending.
Status check_open(const ApprovalRequest& request, const PersonKey& who, WallTime now) {
  switch (request.status_at(now)) {
    case RequestStatus::kPending:
      return {};
    case RequestStatus::kExpired:
      return RequestExpired{};
    case RequestStatus::kWithdrawn:
      return RequestWithdrawn{visible_line(request.asked.requester_name)};
    case RequestStatus::kApproved:
    case RequestStatus::kDenied:
      break;
  }
  return AlreadyDecided{std::string(text_of(request.status)), visible_line(request.decided_by_name),
                        request.decided_at ? clock_text(*request.decided_at) : "", request.decided_by == who};
}

Status check_state(const DecisionCheckContext& c) {
  return check_open(c.request, {c.decider.principal().issuer(), c.decider.principal().subject()}, c.now);
}

Status check_note(const DecisionCheckContext& c) {
  if (c.decision.verdict == Verdict::kDeny && is_blank(c.decision.note))
    return NoteUnusable{"A denial needs a note that says why."};
  if (characters_of(c.decision.note) > ApprovalStore::kNoteCharactersMax) {
    return NoteUnusable{"The note has more than 500 characters."};
  }
  return {};
}

Status check_case(const DecisionCheckContext& c) {
  if (c.decision.verdict == Verdict::kApprove && c.decision.blocked) return ActionBlocked{*c.decision.blocked};
  return {};
}

constexpr DecisionCheck kDecisionChecks[] = {
    {"requester", check_requester}, {"desk", check_desk}, {"scope", check_scope}, {"sign_in", check_sign_in},
    {"open", check_state},          {"note", check_note}, {"case", check_case},
};

std::string_view refusal_reason(const Failure& failure) {
  if (failure.as<OwnRequest>() != nullptr) return "self";
  if (failure.as<ApproveScopeMissing>() != nullptr) return "scope";
  if (failure.as<StaleSignIn>() != nullptr) return "stale";
  if (failure.as<AlreadyDecided>() != nullptr) return "decided";
  if (failure.as<RequestExpired>() != nullptr) return "expired";
  if (failure.as<RequestWithdrawn>() != nullptr) return "withdrawn";
  if (failure.as<RequestChanged>() != nullptr) return "changed";
  if (failure.as<NoteUnusable>() != nullptr) return "note";
  if (failure.as<ActionBlocked>() != nullptr) return "blocked";
  return failure.as<NoSuchRequest>() != nullptr ? "not_concerned" : "failed";
}

struct Change {
  RequestStatus to;
  PersonKey by;
  std::string by_name;
  std::string note;
  std::optional<WallTime> auth_time;
  std::string session_ref;
  std::int64_t version;
  std::string digest;
};

// The compare-and-set: changes the row only when it is pending, not expired, and exactly what was seen.
Result<bool> change_status(Connection& connection, const ApprovalRequest& request, const Change& change, WallTime now) {
  Statement update = connection.statement(
      "UPDATE approval_requests SET status = ?1, version = version + 1, decided_by_issuer = ?2, decided_by_sub = ?3, "
      "decided_by_name = ?4, decided_at_ms = ?5, note = ?6, auth_time_ms = ?7, session_ref = ?8 WHERE id = ?9 AND "
      "status = 'pending' AND version = ?10 AND request_digest = ?11 AND expires_at_ms > ?5");
  POSTERN_TRY_VOID(update
                       .bind(text_of(change.to), change.by.issuer, change.by.subject, change.by_name, now, change.note,
                             change.auth_time, change.session_ref, request.id, change.version, change.digest)
                       .run());
  return connection.rows_changed() == 1;
}

}  // namespace

std::span<const DecisionCheck> product_decision_checks() {
  return kDecisionChecks;
}

Result<ApprovalRequest> ApprovalStore::decide(const VerifiedAccessToken& supervisor, const Decision& decision,
                                              WallTime now) {
  Result<ApprovalRequest> result = decide_checked(supervisor, decision, now);
  if (result) return result;
  const AuditEvent refused{
      .actor_subject = supervisor.principal().subject(),
      .actor_name = supervisor.principal().display_name(),
      .channel = "page",
      .action = "decision.refused",
      .object = decision.approval_id.value(),
      .version_before = std::nullopt,
      .version_after = std::nullopt,
      .detail = Json::object({{"reason", refusal_reason(result.error())},
                              {"verdict", decision.verdict == Verdict::kApprove ? "approve" : "deny"},
                              {"session", decision.session_ref}})};
  POSTERN_TRY_VOID(record(refused, now));
  return result;
}

Result<ApprovalRequest> ApprovalStore::decide_checked(const VerifiedAccessToken& supervisor, const Decision& decision,
                                                      WallTime now) {
  const PersonKey who{supervisor.principal().issuer(), supervisor.principal().subject()};
  return database_->write<ApprovalRequest>([&](Connection& connection) -> Result<ApprovalRequest> {
    POSTERN_TRY(const ApprovalRequest before, find_request(connection, decision.approval_id));
    const DecisionCheckContext context{before, supervisor, staff_, decision, now};
    for (const DecisionCheck& check : options_.decision_checks) POSTERN_TRY_VOID(check.run(context));
    const Change change{.to = decision.verdict == Verdict::kApprove ? RequestStatus::kApproved : RequestStatus::kDenied,
                        .by = who,
                        .by_name = supervisor.principal().display_name(),
                        .note = decision.note,
                        .auth_time = supervisor.auth_time(),
                        .session_ref = decision.session_ref,
                        .version = decision.version,
                        .digest = decision.request_digest};
    POSTERN_TRY(const bool changed, change_status(connection, before, change, now));
    // All else was looked at above, in this transaction: what is left is that the form showed another version.
    if (!changed) return RequestChanged{};
    const bool approved = change.to == RequestStatus::kApproved;
    Json detail = Json::object({{"digest", before.request_digest}, {"session", decision.session_ref}});
    if (supervisor.auth_time()) detail.set("auth_time", rfc3339(*supervisor.auth_time()));
    if (!decision.note.empty()) detail.set("note", decision.note);
    const AuditEvent event{.actor_subject = who.subject,
                           .actor_name = change.by_name,
                           .channel = "page",
                           .action = approved ? "decision.approved" : "decision.denied",
                           .object = before.id.value(),
                           .version_before = before.version,
                           .version_after = before.version + 1,
                           .detail = std::move(detail)};
    POSTERN_TRY_VOID(append_audit(connection, event, now));
    return find_request(connection, before.id);
  });
}

Result<ApprovalRequest> ApprovalStore::withdraw(const ApprovalId& id, const PersonKey& requester,
                                                std::string_view channel, WallTime now) {
  return database_->write<ApprovalRequest>([&](Connection& connection) -> Result<ApprovalRequest> {
    POSTERN_TRY(const ApprovalRequest before, find_request(connection, id));
    if (!(before.asked.requester == requester)) return NoSuchRequest{};
    POSTERN_TRY_VOID(check_open(before, requester, now));
    const Change change{.to = RequestStatus::kWithdrawn,
                        .by = requester,
                        .by_name = before.asked.requester_name,
                        .note = {},
                        .auth_time = std::nullopt,
                        .session_ref = {},
                        .version = before.version,
                        .digest = before.request_digest};
    POSTERN_TRY(const bool changed, change_status(connection, before, change, now));
    if (!changed) return RequestChanged{};
    const AuditEvent event{.actor_subject = requester.subject,
                           .actor_name = before.asked.requester_name,
                           .channel = channel,
                           .action = "request.withdrawn",
                           .object = id.value(),
                           .version_before = before.version,
                           .version_after = before.version + 1};
    POSTERN_TRY_VOID(append_audit(connection, event, now));
    return find_request(connection, id);
  });
}

}  // namespace postern::approvals
