// ToolCalls: answers what the model asks for, one tool_use at a time, and keeps what the host itself must know of the
// results.
//
// Every tool_use gets an answer: a labeled result of the server, or a sentence of the host (bridge/model_text.h). What
// ends the run instead is a failure: nobody decided in time, the person stopped it, the sign-in or the server is gone.
// One thread.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bridge/call.h"
#include "bridge/label.h"
#include "bridge/model_tools.h"
#include "host/model/model.h"
#include "host/operator_desk.h"
#include "host/report.h"
#include "host/terminal.h"
#include "host/transcript/transcript.h"
#include "pins/pin_gate.h"
#include "wire/env/env.h"

namespace postern::host {

// The one tool that opens a case; for the host only.
inline constexpr std::string_view kOpenCase = "open_case";
// The one tool that moves money.
inline constexpr std::string_view kRefundTool = "issue_refund";

class ToolCalls {
 public:
  ToolCalls(Env env, Terminal& terminal, OperatorDesk& desk, bridge::Call& call, const bridge::ModelTools& tools,
            const std::vector<pins::PinnedTool>& pinned, const bridge::Labeler& labeler, std::string run_id,
            std::string model_id);

  // Failures: bridge.still_pending, bridge.stopped, transport.unreachable, sign_in.* other than scope_refused.
  [[nodiscard]] Result<ToolAnswer> answer(const ToolUse& use, std::stop_token stop);
  // The answer to a call of a tool that the model was shown and that it may not use any more; `why` is for the person.
  [[nodiscard]] ToolAnswer withdrawn(const ToolUse& use, std::string_view why);
  // The host's own reading of the desk's records after the run; not for the model, so that the case is opened anew,
  // once, when its handle is over. Facts that could not be read are not known.
  [[nodiscard]] DeskFacts read_facts(std::string_view ticket_id);

  // What the summary wants to know.
  [[nodiscard]] const std::vector<std::string>& paid_now() const { return paid_now_; }
  [[nodiscard]] const std::string& refund_refused() const { return refund_refused_; }
  [[nodiscard]] const std::string& refund_answer() const { return refund_answer_; }
  // The answer to a refund call never came, and no receipt after it.
  [[nodiscard]] bool refund_lost() const { return refund_lost_; }
  [[nodiscard]] const std::optional<ApprovalSeen>& approval() const { return approval_; }
  // A scope that this person was never granted, for the exit code.
  [[nodiscard]] const std::optional<Failure>& lasting_failure() const { return lasting_failure_; }

 private:
  [[nodiscard]] const pins::PinnedTool* find(std::string_view tool) const;
  [[nodiscard]] Json claims_for(const pins::PinnedTool& tool) const;
  [[nodiscard]] ToolAnswer say(const ToolUse& use, bridge::ModelText text, std::string_view note);
  [[nodiscard]] ToolAnswer take(const ToolUse& use, const bridge::ValidatedResult& result,
                                std::chrono::milliseconds took);
  [[nodiscard]] bool open_case_again(std::string_view ticket_id);
  void remember_refund(const bridge::ValidatedResult& result);
  [[nodiscard]] Result<ToolAnswer> failed(const ToolUse& use, const Failure& failure);

  Env env_;
  Terminal& terminal_;
  OperatorDesk& desk_;
  bridge::Call& call_;
  const bridge::ModelTools& tools_;
  const std::vector<pins::PinnedTool>& pinned_;
  const bridge::Labeler& labeler_;
  std::string run_id_;
  std::string model_id_;
  std::vector<std::string> paid_now_;
  std::string refund_refused_;
  std::string refund_answer_;
  bool refund_lost_ = false;
  std::optional<ApprovalSeen> approval_;
  std::optional<Failure> lasting_failure_;
};

}  // namespace postern::host
