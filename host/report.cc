#include "host/report.h"

#include <algorithm>
#include <cctype>

#include "wire/base/money.h"
#include "wire/base/visible_text.h"

namespace postern::host {
namespace {

std::string amount_text(std::int64_t minor, const std::string& currency) {
  const auto known = Currency::of_code(currency);
  if (!known) return std::to_string(minor) + " minor units of " + visible_line(currency, 8);
  return display(Money{minor, *known});
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The ids of that prefix in a text: "RF-0001".
std::vector<std::string> ids_in(std::string_view text, std::string_view prefix) {
  std::vector<std::string> ids;
  for (std::size_t at = text.find(prefix); at != std::string_view::npos; at = text.find(prefix, at + 1)) {
    std::size_t end = at + prefix.size();
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end > at + prefix.size()) ids.emplace_back(text.substr(at, end - at));
  }
  return ids;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// The amounts in "refunded 4800 cents".
std::vector<std::int64_t> claimed_amounts(const std::string& text) {
  constexpr std::string_view kVerb = "refunded ";
  std::vector<std::int64_t> amounts;
  for (std::size_t at = text.find(kVerb); at != std::string::npos; at = text.find(kVerb, at + 1)) {
    std::size_t end = at + kVerb.size();
    std::int64_t amount = 0;
    while (end < text.size() && is_digit(text[end]) && amount < 1'000'000'000'000)
      amount = amount * 10 + (text[end++] - '0');
    if (end > at + kVerb.size() && text.compare(end, 6, " cents") == 0) amounts.push_back(amount);
  }
  return amounts;
}

std::string sum_text(const std::vector<RefundFact>& refunds) {
  std::int64_t sum = 0;
  for (const RefundFact& refund : refunds) {
    if (refund.currency != refunds.front().currency) return "in several currencies";
    sum += refund.amount_minor;
  }
  return amount_text(sum, refunds.front().currency);
}

// The records were not read, and there is nothing of this run in them: no refund was ever asked for in it.
bool asked_for_nothing(const RunSummary& summary) {
  return summary.case_opened && !summary.facts.known && !summary.refund_wanted && !summary.refund_lost &&
         summary.paid_now.empty();
}

// The records cannot be read in this run, and need not be.
bool needs_no_records(const RunSummary& summary) {
  const auto& refused = summary.refused_tools;
  return asked_for_nothing(summary) && std::find(refused.begin(), refused.end(), "get_order") != refused.end();
}

// The desk answered whatever was asked of it, and has no records that could say more.
bool has_no_records(const RunSummary& summary) {
  return summary.case_opened && !summary.facts.shown_by_desk && !summary.refund_lost;
}

// The refunds of the ticket that the desk shows after the answer to a refund call was lost, and that no receipt of this
// run tells of.
std::vector<RefundFact> shown_without_receipt(const RunSummary& summary) {
  std::vector<RefundFact> shown;
  if (!summary.refund_lost || !summary.facts.known) return shown;
  const auto& paid = summary.paid_now;
  for (const RefundFact& refund : summary.facts.refunds) {
    if (std::find(paid.begin(), paid.end(), refund.refund_id) == paid.end()) shown.push_back(refund);
  }
  return shown;
}

// A call whose answer was lost may be on its way still: that the records hold nothing of it yet says little.
bool may_still_come(const RunSummary& summary) {
  return summary.refund_lost && summary.facts.known && shown_without_receipt(summary).empty();
}

std::string note_of_lost_answer(const std::vector<RefundFact>& shown) {
  std::string ids;
  for (const RefundFact& refund : shown) ids += (ids.empty() ? "" : ", ") + visible_line(refund.refund_id, 40);
  return "The answer to a refund call was lost. The desk's records, read after it, show what was paid: " + ids + ", " +
         sum_text(shown) + ".";
}

std::string desk_line_of(const RunSummary& summary) {
  const DeskFacts& facts = summary.facts;
  if (needs_no_records(summary)) {
    return "desk: The records of " + summary.ticket +
           " were not read: get_order is refused by its pin. This run asked for no refund.";
  }
  if (has_no_records(summary)) {
    const std::string line = "desk: This desk shows no refunds with an order. ";
    if (summary.pending) return line + *summary.pending;
    if (summary.refund_answer.empty()) return line + "This run got no answer to a refund call.";
    return line + "Its answer to the refund call: " + summary.refund_answer;
  }
  if (asked_for_nothing(summary)) {
    return "desk: The records of " + summary.ticket +
           " could not be read. This run asked for no refund. Look again: postern resume " + summary.run;
  }
  if (!facts.known) {
    return "desk: We do not know yet what was refunded on " + summary.ticket + ". Find out: postern resume " +
           summary.run;
  }
  std::string line = "desk: " + std::to_string(facts.refunds.size()) + " refund(s) on " + summary.ticket;
  if (!facts.refunds.empty()) {
    std::string tokens;
    for (const RefundFact& refund : facts.refunds)
      tokens += (tokens.empty() ? "" : ", ") + visible_line(refund.token_id, 40);
    return line + ", " + sum_text(facts.refunds) + " on " + visible_line(facts.refunds.front().order_id, 40) +
           " with " + tokens + "." +
           (may_still_come(summary) ? " The answer to one more refund call was lost, and it may still come through. "
                                      "Look again: postern resume " +
                                          summary.run
                                    : "");
  }
  if (may_still_come(summary)) {
    return line + " so far. The answer to a refund call was lost, and it may still come through. Look again: " +
           "postern resume " + summary.run;
  }
  if (summary.pending) return line + ". " + *summary.pending;
  if (!summary.refund_refused.empty())
    return line + ". " + summary.refund_refused.substr(0, summary.refund_refused.find('\n'));
  return line + ". Nothing was refunded.";
}

std::string final_line_of(const std::string& text) {
  std::string line = "final: ";
  if (text.empty()) return line + "(the model ended without a summary)";
  for (const char c : text) {
    line += c;
    if (c == '\n') line += "  ";
  }
  return line;
}

std::string outcome_of(const RunSummary& summary) {
  if (summary.interrupted) return "stopped";
  if (summary.pending) return "pending";
  if (summary.failure && summary.paid_now.empty()) return "failed";
  if (!summary.facts.known && !needs_no_records(summary) && !has_no_records(summary)) return "unknown";
  if (may_still_come(summary)) return "unknown";
  if (!summary.paid_now.empty() || summary.refund_lost) return "refunded";
  return summary.refund_refused.empty() ? "no_refund" : "refused";
}

ExitCode exit_of(const RunSummary& summary, bool disagree) {
  ExitCode code = ExitCode::kDone;
  if (summary.interrupted) {
    code = more_severe(code, *summary.interrupted);  // which of the two signals it was, the failure does not say
  } else if (summary.failure) {
    code = more_severe(code, exit_code_of(*summary.failure));
  }
  const bool unknown = !summary.facts.known && !needs_no_records(summary) && !has_no_records(summary);
  if (summary.case_opened && unknown && !summary.interrupted) code = more_severe(code, ExitCode::kUnreachable);
  if (may_still_come(summary)) code = more_severe(code, ExitCode::kUnreachable);
  if (disagree) code = more_severe(code, ExitCode::kNo);
  if (!summary.refund_refused.empty() && summary.paid_now.empty()) code = more_severe(code, ExitCode::kMoneyRefused);
  if (summary.pending) code = more_severe(code, ExitCode::kPending);
  if (!summary.refused_tools.empty()) code = more_severe(code, ExitCode::kPinRefused);
  return code;
}

Json desk_json(const RunSummary& summary) {
  if (!summary.facts.known) {
    Json unknown = Json::object({{"known", false}});
    if (!summary.refund_answer.empty()) unknown.set("answer", summary.refund_answer);
    return unknown;
  }
  Json refunds = Json::array();
  for (const RefundFact& refund : summary.facts.refunds) {
    Json entry =
        Json::object({{"id", refund.refund_id}, {"order", refund.order_id}, {"amount_cents", refund.amount_minor}});
    entry.set("currency", refund.currency).set("approval", refund.approval_id).set("token", refund.token_id);
    refunds.push(std::move(entry));
  }
  return Json::object({{"refunds", std::move(refunds)}});
}

Json json_of(const RunSummary& summary, const Report& report) {
  Json json = Json::object({{"schema", "postern.run/1"}, {"run", summary.run}, {"ticket", summary.ticket}});
  json.set("outcome", report.outcome).set("exit", static_cast<int>(report.exit));
  json.set("final", summary.final_text ? Json::object({{"source", "model"}, {"text", *summary.final_text}}) : Json());
  json.set("desk", desk_json(summary));
  Json refused = Json::array();
  for (const std::string& tool : summary.refused_tools) refused.push(visible_line(tool, 80));
  json.set("pins", Json::object({{"checked", static_cast<std::int64_t>(summary.pins_checked)},
                                 {"refused", std::move(refused)}}));
  if (!summary.servers.empty()) {
    Json servers = Json::array();
    for (const ServerStanding& server : summary.servers) {
      Json entry = Json::object({{"name", server.name}, {"state", server.state}});
      if (!server.reason.empty()) entry.set("reason", server.reason);
      servers.push(std::move(entry));
    }
    json.set("servers", std::move(servers));
  }
  if (summary.approval) {
    Json approval = Json::object({{"id", summary.approval->id}, {"status", summary.approval->status}});
    if (!summary.approval->decided_by.empty()) approval.set("decided_by", summary.approval->decided_by);
    json.set("approval", std::move(approval));
  }
  if (summary.failure) {
    json.set("failure", Json::object({{"id", summary.failure->id()}, {"text", summary.failure->text()}}));
  }
  json.set("steps", summary.steps).set("wait_ms", static_cast<std::int64_t>(summary.waited.count()));
  json.set("wire", summary.wire_path);
  return json;
}

}  // namespace

DeskFacts facts_of(const Json& order, std::string_view ticket_id) {
  DeskFacts facts;
  const Json* refunds = order.find("refunds");
  if (refunds == nullptr || order.string_at("refunds_source") != "payments") return facts;
  facts.known = true;
  for (const Json& entry : refunds->elements()) {
    if (entry.string_at("ticket_id") != ticket_id) {
      facts.earlier_ids.emplace_back(entry.string_at("refund_id"));
      continue;
    }
    RefundFact fact;
    fact.refund_id = entry.string_at("refund_id");
    fact.order_id = order.string_at("order_id");
    fact.amount_minor = entry.integer_at("amount_cents").value_or(0);
    fact.currency = entry.string_at("currency");
    fact.approval_id = entry.string_at("approval_id");
    fact.token_id = entry.string_at("token_id");
    facts.refunds.push_back(std::move(fact));
  }
  return facts;
}

std::optional<ApprovalSeen> approval_in(std::string_view sentence) {
  const std::vector<std::string> ids = ids_in(sentence, "APR-");
  if (ids.empty()) return std::nullopt;
  ApprovalSeen seen;
  seen.id = ids.front();
  for (const std::string_view status : {"denied", "expired", "withdrawn", "pending", "approved"}) {
    if (seen.status.empty() && sentence.find(status) != std::string_view::npos) seen.status = status;
  }
  if (seen.status.empty() && sentence.find("waits for") != std::string_view::npos) seen.status = "pending";
  if (sentence.find("not used in time") != std::string_view::npos) seen.status = "lapsed";
  constexpr std::string_view kBy = " by ";
  if (const std::size_t by = sentence.find(kBy); by != std::string_view::npos && seen.status == "denied") {
    const std::size_t start = by + kBy.size();
    seen.decided_by = visible_line(sentence.substr(start, sentence.find(". ", start) - start), 80);
  }
  return seen;
}

std::string disagreement(std::string_view final_text, const DeskFacts& facts, const std::vector<std::string>& paid) {
  if (!facts.known) return {};
  // "It was refunded before as RF-900001" is true of a refund under another ticket, too.
  const auto has = [&](const std::string& id) {
    const auto& earlier = facts.earlier_ids;
    if (std::find(earlier.begin(), earlier.end(), id) != earlier.end()) return true;
    return std::any_of(facts.refunds.begin(), facts.refunds.end(),
                       [&](const RefundFact& fact) { return fact.refund_id == id; });
  };
  for (const std::string& id : ids_in(final_text, "RF-")) {
    if (!has(id)) return "The model names " + id + ", which the desk does not know for this ticket.";
  }
  const std::string text = lower(final_text);
  for (const std::int64_t amount : claimed_amounts(text)) {
    const bool is_recorded = std::any_of(facts.refunds.begin(), facts.refunds.end(),
                                         [&](const RefundFact& f) { return f.amount_minor == amount; });
    if (!is_recorded)
      return "The model says that " + std::to_string(amount) + " cents were refunded, and the desk's records do not.";
  }
  if (!paid.empty() &&
      (text.find("nothing was refunded") != std::string::npos || text.find("was not made") != std::string::npos ||
       text.find("no refund was made") != std::string::npos)) {
    return "The model says that nothing was refunded, and the desk's records say otherwise.";
  }
  return {};
}

Report report_of(const RunSummary& summary) {
  Report report;
  // A model that got no answer does not know what was paid. A person must not take its word for it.
  const std::vector<RefundFact> without_receipt = shown_without_receipt(summary);
  std::vector<std::string> paid = summary.paid_now;
  for (const RefundFact& refund : without_receipt) paid.push_back(refund.refund_id);
  const std::string disagree =
      summary.final_text ? disagreement(*summary.final_text, summary.facts, paid) : std::string();
  report.exit = exit_of(summary, !disagree.empty());
  report.outcome = outcome_of(summary);
  if (summary.final_text) report.final_line = final_line_of(*summary.final_text);
  if (summary.case_opened) report.desk_line = desk_line_of(summary);
  if (!without_receipt.empty()) report.notes.push_back(note_of_lost_answer(without_receipt));
  if (!disagree.empty()) report.notes.push_back("final and desk disagree: " + disagree + " The desk's records count.");
  // Without a case there was nothing to finish; the refusal was said where it happened.
  for (const std::string& tool : summary.case_opened ? summary.refused_tools : std::vector<std::string>()) {
    report.notes.push_back("finished without " + visible_line(tool, 80) + " (pin refused)");
  }
  report.json = json_of(summary, report);
  return report;
}

}  // namespace postern::host
