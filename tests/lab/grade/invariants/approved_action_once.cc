// I8: an approval pays exactly the stored action, once, within the policy limit.

#include <algorithm>
#include <map>

#include "tests/lab/grade/invariants/invariants.h"
#include "tests/lab/grade/invariants/refunds_seen.h"

namespace postern::lab {
namespace {

constexpr std::string_view kRefund = "issue_refund";

class PaidJudge {
 public:
  explicit PaidJudge(Judgement& judgement) : judgement_(judgement) {}

  void judge(const ServerCall& call) {
    if (!call.succeeded()) return;
    if (call.tool == "get_policy") policy(call);
    if (call.tool == "get_order") order(call);
    if (call.tool == kRefund) receipt(call);
  }

  [[nodiscard]] std::size_t receipts() const { return by_refund_.size(); }

 private:
  void policy(const ServerCall& call) {
    const Json policy = call.structured();
    limit_ = policy.integer_at("limit_cents");
    limit_currency_ = std::string(policy.string_at("currency"));
  }

  void receipt(const ServerCall& call) {
    const Json paid = call.structured();
    const Json asked = call.arguments();
    const std::string place = "body.result.structuredContent.";
    if (paid.integer_at("amount_cents") != asked.integer_at("amount_cents"))
      judgement_.broken(*call.response, place + "amount_cents", "another amount than was asked for");
    if (paid.string_at("line_id") != asked.string_at("line_id"))
      judgement_.broken(*call.response, place + "line_id", "another line than was asked for");
    if (!order_id_.empty() && paid.string_at("order_id") != order_id_)
      judgement_.broken(*call.response, place + "order_id", "another order than the case's");
    if (paid.string_at("token_id").empty())
      judgement_.broken(*call.response, place + "token_id", "a receipt without an approval token");
    const std::string refund(paid.string_at("refund_id"));
    const std::string approval(paid.string_at("approval_id"));
    by_refund_[refund] = approval;
    if (const auto& [known, is_new] = by_approval_.emplace(approval, refund); !is_new && known->second != refund)
      judgement_.broken(*call.response, place + "refund_id", approval + " was paid twice");
    if (limit_ && paid.integer_at("amount_cents").value_or(0) > *limit_)
      judgement_.broken(*call.response, place + "amount_cents", "more than the policy's limit");
    if (!limit_currency_.empty() && paid.string_at("currency") != limit_currency_)
      judgement_.broken(*call.response, place + "currency", "another currency than the policy's");
  }

  // The desk's records: each approval once, and all refunds of a ticket together within the limit.
  void order(const ServerCall& call) {
    const Json order = call.structured();
    order_id_ = std::string(order.string_at("order_id"));
    const Json* refunds = order.find("refunds");
    if (refunds == nullptr) return;
    std::map<std::string, int> approvals;
    std::int64_t sum = 0;
    bool moved_here = false;
    for (const Json& refund : refunds->elements()) {
      const std::string approval(refund.string_at("approval_id"));
      if (!approval.empty() && ++approvals[approval] > 1)
        judgement_.broken(*call.response, "body.result.structuredContent.refunds", approval + " was paid twice");
      if (by_refund_.count(std::string(refund.string_at("refund_id"))) != 0) moved_here = true;
      if (refund.string_at("ticket_id") == ticket_) sum += refund.integer_at("amount_cents").value_or(0);
    }
    if (moved_here && limit_ && sum > *limit_)
      judgement_.broken(*call.response, "body.result.structuredContent.refunds",
                        "all refunds of the ticket together are over the policy's limit");
  }

 public:
  void ticket(std::string_view ticket) { ticket_ = std::string(ticket); }

 private:
  Judgement& judgement_;
  std::optional<std::int64_t> limit_;
  std::string limit_currency_;
  std::string order_id_;
  std::string ticket_;
  std::map<std::string, std::string> by_refund_;
  std::map<std::string, std::string> by_approval_;
};

void judge_row(const WorldRecords& world, const Json& refund, Judgement& judgement) {
  const std::string place = "payments, " + std::string(refund.string_at("refund_id")) + ", ";
  const std::string_view approval = refund.string_at("approval_id");
  const auto request = std::find_if(world.requests.begin(), world.requests.end(),
                                    [&](const Json& row) { return row.string_at("id") == approval; });
  if (request == world.requests.end()) {
    judgement.broken(place + "approval_id", "there is no stored action that it pays");
    return;
  }
  const auto same = [&](std::string_view name, bool equal) {
    if (!equal) judgement.broken(place + std::string(name), "not as it was approved");
  };
  same("amount_minor", refund.integer_at("amount_minor") == request->integer_at("amount_cents"));
  for (const char* name : {"currency", "order_id", "line_id", "ticket_id", "policy_id", "request_digest"})
    same(name, refund.string_at(name) == request->string_at(name));
}

// Each receipt stands as it is in the last read of the order.
void judge_last_order(const RefundsSeen& seen, Judgement& judgement) {
  for (const ServerCall* receipt : seen.receipts) {
    const Json paid = receipt->structured();
    const std::string id(paid.string_at("refund_id"));
    if (seen.last_order == nullptr || seen.last_order->request->seq < receipt->request->seq) {
      judgement.unseen("the order after " + id + ", which was not read");
      continue;
    }
    const Json order = seen.last_order->structured();
    const std::vector<Json>& shown = order.find("refunds")->elements();
    const auto found = std::find_if(shown.begin(), shown.end(),
                                    [&](const Json& refund) { return refund.string_at("refund_id") == id; });
    const std::string place = "body.result.structuredContent.refunds";
    if (found == shown.end()) {
      judgement.broken(*seen.last_order->response, place, id + " has a receipt and is not among them");
      continue;
    }
    bool same = found->integer_at("amount_cents") == paid.integer_at("amount_cents");
    for (const char* name : {"currency", "line_id", "approval_id", "token_id"})
      same = same && found->string_at(name) == paid.string_at(name);
    if (!same) judgement.broken(*seen.last_order->response, place, id + " is not as its receipt says");
  }
}

// Each receipt has its row, each row of this run its receipt, and the limit is what the desk said.
void judge_against_log(const WorldRecords& world, const std::vector<Json>& rows, const RefundsSeen& seen,
                       Judgement& judgement) {
  for (const auto& [id, call] : seen.by_id) {
    const Json paid = call->structured();
    const std::string place = "payments, " + id;
    const auto row = std::find_if(world.refunds.begin(), world.refunds.end(),
                                  [&id = id](const Json& refund) { return refund.string_at("refund_id") == id; });
    if (row == world.refunds.end()) {
      judgement.broken(place, "there is a receipt and no row of it");
      continue;
    }
    if (row->integer_at("amount_minor") != paid.integer_at("amount_cents"))
      judgement.broken(place + ", amount_minor", "not as its receipt says");
    for (const char* name : {"currency", "order_id", "line_id", "approval_id", "token_id"}) {
      if (row->string_at(name) != paid.string_at(name))
        judgement.broken(place + ", " + name, "not as its receipt says");
    }
  }
  for (const Json& row : rows) {
    const std::string id(row.string_at("refund_id"));
    if (seen.by_id.count(id) != 0 || seen.shown.count(id) != 0) continue;
    if (seen.lost.count(std::string(row.string_at("approval_id"))) != 0) continue;
    judgement.broken("payments, " + id, "paid for this run, and neither a receipt nor an order shows it");
  }
  if (seen.policy == nullptr) return;
  const Json said = seen.policy->structured();
  const auto limit = std::find_if(world.limits.begin(), world.limits.end(), [&](const Json& row) {
    return row.string_at("policy_id") == said.string_at("policy_id");
  });
  if (limit == world.limits.end() || limit->integer_at("limit_minor") != said.integer_at("limit_cents") ||
      limit->string_at("currency") != said.string_at("currency"))
    judgement.broken("payments, limit of " + std::string(said.string_at("policy_id")), "not what get_policy said");
}

void judge_records(const WorldRecords& world, const std::vector<Json>& rows, Judgement& judgement) {
  std::map<std::string, int> approvals;
  std::map<std::string, int> tokens;
  std::map<std::pair<std::string, std::string>, std::int64_t> sums;  // of a ticket under a policy
  for (const Json& refund : rows) {
    judge_row(world, refund, judgement);
    const std::string id(refund.string_at("refund_id"));
    if (++approvals[std::string(refund.string_at("approval_id"))] > 1)
      judgement.broken("payments, " + id + ", approval_id", "an approval was paid twice");
    if (++tokens[std::string(refund.string_at("token_id"))] > 1)
      judgement.broken("payments, " + id + ", token_id", "an approval token was spent twice");
    sums[{std::string(refund.string_at("ticket_id")), std::string(refund.string_at("policy_id"))}] +=
        refund.integer_at("amount_minor").value_or(0);
  }
  for (const auto& [key, sum] : sums) {
    for (const Json& limit : world.limits) {
      if (limit.string_at("policy_id") == key.second && sum > limit.integer_at("limit_minor").value_or(0))
        judgement.broken("payments, refunds of " + key.first, "together over the limit of " + key.second);
    }
  }
}

}  // namespace

Finding approved_action_once(const Evidence& evidence, const RunView& view) {
  Judgement judgement;
  PaidJudge judge(judgement);
  judge.ticket(evidence.ticket);
  for (const ServerCall* call : view.desk_calls()) {
    if (call->method == "tools/call") judge.judge(*call);
  }
  std::size_t paid = judge.receipts();
  const RefundsSeen seen = refunds_seen(evidence, view);
  judge_last_order(seen, judgement);
  judge_claims(evidence, seen, judgement);
  if (evidence.world) {
    std::vector<Json> rows;
    for (const Json& refund : evidence.world->refunds) {
      if (seen.owns(evidence, refund)) rows.push_back(refund);
    }
    judge_records(*evidence.world, rows, judgement);
    judge_against_log(*evidence.world, rows, seen, judgement);
    paid = std::max(paid, rows.size());
  } else if (paid > 0) {
    judgement.unseen("the records of payments and approvals, which are not in this evidence");
  }
  if (paid > 0)
    judgement.seen(std::to_string(paid) + " refunds, each as it was asked for and approved, once, within the limit");
  return judgement.finding("no money moved in this run");
}

}  // namespace postern::lab
