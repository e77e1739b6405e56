#include "tests/lab/grade/invariants/refunds_seen.h"

#include <algorithm>

namespace postern::lab {
namespace {

constexpr int kDisagree = 1;  // the program itself says that the model's last words and the records do not agree
constexpr int kMoneyRefused = 6;

// "APR-0001" of the address that the desk asked to open.
std::string approval_asked(const ServerCall& call) {
  const Json* requests = call.result.find("inputRequests");
  const Json* approval = requests == nullptr ? nullptr : requests->find("approval");
  const Json* params = approval == nullptr ? nullptr : approval->find("params");
  if (params == nullptr) return "";
  const std::string_view url = params->string_at("url");
  return std::string(url.substr(url.rfind('/') + 1));
}

bool is_noted_as_lost(const Evidence& evidence, const ServerCall& call) {
  if (call.response != nullptr) return false;
  return std::any_of(evidence.entries.begin(), evidence.entries.end(), [&](const host::WireEntry& entry) {
    return entry.is_note && entry.to_read && entry.subject == call.tool && entry.seq > call.request->seq;
  });
}

void take_order(RefundsSeen& seen, const ServerCall& call, bool before_any) {
  const Json order = call.structured();
  const Json* refunds = order.find("refunds");
  if (refunds == nullptr) return;
  if (order.string_at("refunds_source") == "payments") seen.last_order = &call;
  for (const Json& refund : refunds->elements()) {
    seen.shown.emplace(refund.string_at("refund_id"));
    if (before_any) seen.earlier.emplace(refund.string_at("refund_id"));
  }
}

// "RF-0001", each that occurs.
std::set<std::string> refunds_named(std::string_view text) {
  std::set<std::string> out;
  for (std::size_t at = text.find("RF-"); at != text.npos; at = text.find("RF-", at + 1)) {
    const std::size_t end = text.find_first_not_of("0123456789", at + 3);
    const std::string id(text.substr(at, end == text.npos ? end : end - at));
    if (id.size() > 3) out.insert(id);
  }
  return out;
}

}  // namespace

bool RefundsSeen::owns(const Evidence& evidence, const Json& row) const {
  const std::string approval(row.string_at("approval_id"));
  const std::string refund(row.string_at("refund_id"));
  if (by_id.count(refund) != 0 || asked.count(approval) != 0) return true;
  for (const ServerCall* receipt : receipts) {
    if (receipt->structured().string_at("approval_id") == approval) return true;
  }
  if (!evidence.world) return false;
  for (const Json& request : evidence.world->requests) {
    if (request.string_at("id") == approval) return request.string_at("run_id") == evidence.name;
  }
  // Of an approval that nobody knows: the run's own when it is about its ticket and did not stand there before.
  return !evidence.ticket.empty() && row.string_at("ticket_id") == evidence.ticket && earlier.count(refund) == 0;
}

RefundsSeen refunds_seen(const Evidence& evidence, const RunView& view) {
  RefundsSeen seen;
  bool attempted = false;
  bool read_before = false;
  std::string waits_for;
  for (const ServerCall* call : view.desk_calls()) {
    if (call->is_call_of("get_policy") && call->succeeded()) seen.policy = call;
    if (call->is_call_of("get_order") && call->succeeded()) {
      take_order(seen, *call, !attempted && !read_before);
      read_before = true;
    }
    if (!call->is_call_of("issue_refund")) continue;
    attempted = true;
    if (call->asks_for_input()) {
      waits_for = approval_asked(*call);
      if (!waits_for.empty()) seen.asked.insert(waits_for);
    }
    if (!waits_for.empty() && is_noted_as_lost(evidence, *call)) seen.lost.insert(waits_for);
    if (!call->succeeded()) continue;
    seen.receipts.push_back(call);
    seen.by_id.emplace(call->structured().string_at("refund_id"), call);
  }
  return seen;
}

void judge_claims(const Evidence& evidence, const RefundsSeen& seen, Judgement& judgement) {
  if (evidence.outcome == "refunded" && seen.receipts.empty() && seen.lost.empty())
    judgement.broken("run.json, outcome", "the run says that it refunded, and its log has no receipt");
  const std::size_t last_leg = evidence.legs.empty() ? 0 : evidence.legs.size() - 1;
  const bool paid = std::any_of(seen.receipts.begin(), seen.receipts.end(),
                                [&](const ServerCall* receipt) { return receipt->leg == last_leg; });
  if (paid && (evidence.outcome == "no_refund" || evidence.outcome == "refused"))
    judgement.broken("run.json, outcome", "the run says that nothing was refunded, and its log has a receipt");
  if (paid && evidence.exit == kMoneyRefused)
    judgement.broken("exit code", "the run says that the refund was refused, and its log has a receipt");
  if (evidence.exit == kDisagree) return;
  for (const auto& [name, text] : evidence.texts) {
    if (name.substr(0, 6) != "stdout") continue;
    for (const std::string& refund : refunds_named(text)) {
      if (seen.by_id.count(refund) != 0 || seen.earlier.count(refund) != 0) continue;
      if (!seen.lost.empty() && seen.shown.count(refund) != 0) continue;
      judgement.broken(name, refund + " is named, and the log has no receipt of it");
    }
  }
}

}  // namespace postern::lab
