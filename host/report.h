// The last word of a run: what the desk's records say beside what the model said, and the exit code.
//
// `desk:` is read from the desk after the run (get_order.refunds, which asks payments) and never from the model;
// `final:` is the model's sentence, marked as such. Where the two disagree the report says so, and the exit code is 1.
// Pure: facts in, text and code out.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/exit_code.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::host {

struct RefundFact {
  std::string refund_id;
  std::string order_id;
  std::int64_t amount_minor = 0;
  std::string currency;
  std::string approval_id;
  std::string token_id;
};

// What the desk's records say of the ticket.
struct DeskFacts {
  bool known = false;
  // False: by its reviewed definition this desk's get_order shows no refunds, so that there is nothing to ask.
  bool shown_by_desk = true;
  std::vector<RefundFact> refunds;
  std::vector<std::string> earlier_ids;  // of refunds on the same order under other tickets
};
// Of the structured content of get_order. Not known when payments could not be asked.
[[nodiscard]] DeskFacts facts_of(const Json& order, std::string_view ticket_id);

struct ApprovalSeen {
  std::string id;
  std::string status;  // "pending", "approved", "denied", "expired", "withdrawn", "lapsed"
  std::string decided_by;
};
// Reads id and status out of a sentence of the desk: "Approval APR-0001 was denied by Morgan Ellis. Nothing was
// refunded."
[[nodiscard]] std::optional<ApprovalSeen> approval_in(std::string_view sentence);

// A server beside the desk, in one run.
struct ServerStanding {
  std::string name;
  std::string state;   // "connected", "not_reviewed", "unreachable", "gone"
  std::string reason;  // empty when it is connected
};

struct RunSummary {
  std::string run;
  std::string ticket;
  std::string wire_path;
  std::optional<std::string> final_text;  // the model's, made visible
  bool case_opened = false;
  DeskFacts facts;
  std::vector<std::string> paid_now;       // ids of the refunds that this run saw a receipt for
  std::string refund_answer;               // what the desk said to the newest refund call; made visible, one line
  bool refund_lost = false;                // the answer to a refund call never came, and no receipt after it
  bool refund_wanted = true;               // the model asked for one, in this run or before it went on
  std::string refund_refused;              // the desk's last no, when no receipt came after it; made visible
  std::optional<std::string> pending;      // the desk's sentence when the time was up
  std::vector<std::string> refused_tools;  // by their pins
  std::size_t pins_checked = 0;
  std::vector<ServerStanding> servers;  // beside the desk
  std::optional<ApprovalSeen> approval;
  std::optional<Failure> failure;       // what ended the run early, or stays to be reported
  std::optional<ExitCode> interrupted;  // 130 or 143
  int steps = 0;
  std::chrono::milliseconds waited{0};
};

struct Report {
  ExitCode exit = ExitCode::kDone;
  std::string outcome;             // "refunded", "no_refund", "refused", "pending", "unknown", "failed", "stopped"
  std::string final_line;          // "final: ..."; empty when the model said nothing
  std::string desk_line;           // "desk: ..."
  std::vector<std::string> notes;  // for stderr, after the two
  Json json;                       // postern.run/1
};

[[nodiscard]] Report report_of(const RunSummary& summary);
// Why the model's sentence and the desk's records cannot both be true; empty when they can. `paid`: the refunds that
// this run led to, by a receipt or, when its answer was lost, by the desk's records.
[[nodiscard]] std::string disagreement(std::string_view final_text, const DeskFacts& facts,
                                       const std::vector<std::string>& paid);

}  // namespace postern::host
