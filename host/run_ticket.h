// RunTicket: one ticket from discovery to the last word, along the table of host/run_state.h.
//
// The desk comes first and alone opens a case or refunds; other servers are connected when the case is open, and a call
// of theirs never reaches what the desk's calls are read for (host/servers.h).
//
// It calls the bridge and the model, in that table's order, and gives a summary of what happened; it prints progress,
// never the result. What ends it early is in the summary too. Everything it uses outlives it. One thread.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bridge/call.h"
#include "bridge/input_answers.h"
#include "bridge/label.h"
#include "bridge/model_tools.h"
#include "bridge/oauth/request_authorizer.h"
#include "bridge/result_validator.h"
#include "bridge/session.h"
#include "host/model/model.h"
#include "host/operator_desk.h"
#include "host/report.h"
#include "host/run_state.h"
#include "host/run_store.h"
#include "host/servers.h"
#include "host/terminal.h"
#include "host/tool_calls.h"
#include "host/tool_watch.h"
#include "host/transcript/transcript.h"
#include "pins/pin_gate.h"
#include "wire/env/env.h"

namespace postern::host {

struct RunTicketParts {
  Env env;
  Terminal& terminal;
  OperatorDesk& desk;
  bridge::Session& session;
  bridge::RequestAuthorizer& authorizer;
  const pins::PinGate& gate;
  Model& model;
  const RunStore& store;
  const RunRecord& record;
  bridge::CallOptions call_options;
  bridge::ElicitationOptions elicitation;
  int max_steps = 20;
  std::string model_line;          // for the progress line: the id, or that it is a double
  std::string pins_flags;          // what `postern pins ...` needs to ask the same server about the same pins, or empty
  OtherServers* others = nullptr;  // null: the desk alone
};

class RunTicket {
 public:
  RunTicket(RunTicketParts parts, std::stop_token stop);
  ~RunTicket();

  // A new run; or one that goes on from its transcript, when there is one.
  [[nodiscard]] RunSummary run(std::optional<Transcript> transcript);

 private:
  [[nodiscard]] Status connect();
  [[nodiscard]] Status check_pins(const std::vector<mcp::Tool>& tools);
  [[nodiscard]] Status open_case();
  [[nodiscard]] Status converse();
  [[nodiscard]] Result<bool> take_turn(const ModelTurn& turn);  // true: the model has spoken last
  // The transcript of a run that goes on shows a tool that is not offered now: its definition is not the pinned one.
  [[nodiscard]] bool is_shown_no_more(std::string_view tool) const;
  [[nodiscard]] Result<ToolAnswer> answer_use(const ToolUse& use);
  [[nodiscard]] Status answer_uses(const std::vector<ToolUse>& uses);
  [[nodiscard]] Status save_transcript() const;
  void move(RunEvent event);
  void finish(RunSummary& summary, const Status& outcome);

  RunTicketParts parts_;
  std::stop_token stop_;
  RunState state_ = RunState::kStart;
  std::optional<std::string> instructions_;
  pins::PinVerdict verdict_;
  std::unique_ptr<bridge::ResultValidator> validator_;
  std::unique_ptr<bridge::ModelTools> tools_;
  std::unique_ptr<bridge::Labeler> labeler_;
  std::unique_ptr<bridge::ElicitationAnswers> answers_;
  std::unique_ptr<bridge::Call> call_;
  std::unique_ptr<ToolCalls> calls_;
  std::unique_ptr<ToolWatch> watch_;
  std::optional<Transcript> transcript_;
  std::optional<std::string> final_text_;
  bool case_opened_ = false;
  std::size_t pins_checked_ = 0;
  int steps_ = 0;
};

// The tool calls of a transcript's last turn that were not answered: what a resumed run begins with.
[[nodiscard]] std::vector<ToolUse> unanswered_uses(const Transcript& transcript);

struct ModelStepsUsedUp {
  static constexpr std::string_view kId = "model.steps_used_up";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  int steps = 0;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::host
