#include "host/run_ticket.h"

#include <algorithm>

#include "bridge/failures.h"
#include "bridge/model_text.h"
#include "host/model/failures.h"
#include "wire/base/check.h"
#include "wire/base/file.h"
#include "wire/base/visible_text.h"

namespace postern::host {
namespace {

constexpr std::string_view kBoundArgument = "case_handle";
constexpr std::string_view kServerName =
    "support-desk";  // how the label names the source: our word, never the server's
constexpr int kPauseTurnsMax = 5;

// What the model said in the last message of a conversation that it had ended.
std::string last_words(const Transcript& transcript) {
  const Result<Json> messages = parse_json("[" + transcript.messages_json() + "]", {32 * 1024 * 1024, 64});
  std::string words;
  if (!messages || messages->elements().empty()) return words;
  const Json* content = messages->elements().back().find("content");
  if (content == nullptr || !content->is_array()) return words;
  for (const Json& block : content->elements()) {
    if (block.string_at("type") == "text") words += block.string_at("text");
  }
  return words;
}

}  // namespace

RunTicket::RunTicket(RunTicketParts parts, std::stop_token stop) : parts_(std::move(parts)), stop_(std::move(stop)) {}
RunTicket::~RunTicket() = default;

void RunTicket::move(RunEvent event) {
  const std::optional<RunState> next = after(state_, event);
  POSTERN_CHECK(next.has_value());
  state_ = *next;
}

Status RunTicket::connect() {
  POSTERN_TRY(const mcp::DiscoverResult discovered, parts_.session.connect(stop_));
  instructions_ = discovered.instructions;
  parts_.terminal.progress("server",
                           parts_.session.where() + ", MCP " + std::string(mcp::kProtocolVersion) + " (pinned)");
  parts_.desk.announce_person();
  return {};
}

Status RunTicket::check_pins(const std::vector<mcp::Tool>& tools) {
  verdict_ = parts_.gate.admit_all(tools, instructions_);
  const pins::PinFile& file = parts_.gate.file();
  Terminal& terminal = parts_.terminal;
  for (const pins::PinRefusal& refusal : verdict_.refused) {
    const std::string tool = visible_line(refusal.tool, 80);
    const std::string reason = pins::reason_of(refusal);
    parts_.env.tap.note({Layer::kSchema, refusal.tool, true, Json::object({{"text", "pin check refused: " + reason}})});
    terminal.err("pin check refused: " + tool + " (" + reason + ")");
    if (!refusal.pinned_digest.empty()) {
      terminal.err("  pinned  " + pins::short_digest(refusal.pinned_digest) + "   reviewed " + file.reviewed_at +
                   (file.reviewer.empty() ? "" : " by " + visible_line(file.reviewer, 60)));
    }
    if (!refusal.served_digest.empty()) terminal.err("  served  " + pins::short_digest(refusal.served_digest));
    if (refusal.tool == kOpenCase) {
      terminal.err("  Without it no case can be opened. Nothing was sent to the model.");
    } else {
      terminal.err("  The model will not see this tool. The case goes on without it.");
    }
    terminal.err("  See the change: postern pins diff " + tool + parts_.pins_flags);
  }
  if (verdict_.instructions_changed) {
    terminal.detail("pins", "the server's instructions are not the reviewed ones; a model is never shown them");
  }
  const std::size_t matching = verdict_.admitted.size();
  pins_checked_ = matching + verdict_.refused.size();
  terminal.progress("pins", std::to_string(matching) + " of " + std::to_string(pins_checked_) +
                                " definitions match, reviewed " + file.reviewed_at);
  for (const pins::PinRefusal& refusal : verdict_.refused) {
    if (refusal.tool == kOpenCase) return refusal.failure;
  }
  return {};
}

Status RunTicket::open_case() {
  const auto& pinned = verdict_.admitted;
  const auto opener =
      std::find_if(pinned.begin(), pinned.end(), [](const pins::PinnedTool& t) { return t.name() == kOpenCase; });
  if (opener == pinned.end()) return pins::ToolNotPinned{std::string(kOpenCase)};
  validator_ = std::make_unique<bridge::ResultValidator>(pinned);
  bridge::ToolBinding binding;
  binding.host_only.insert(std::string(kOpenCase));
  binding.bound_arguments.insert(std::string(kBoundArgument));
  tools_ = std::make_unique<bridge::ModelTools>(pinned, std::move(binding));
  for (const auto& [tool, failure] : tools_->unusable()) parts_.terminal.err(failure.text());
  labeler_ = std::make_unique<bridge::Labeler>(parts_.record.label_nonce, std::string(kServerName));
  answers_ = std::make_unique<bridge::ElicitationAnswers>(parts_.desk, parts_.elicitation);
  call_ = std::make_unique<bridge::Call>(parts_.env, parts_.session, parts_.authorizer, *validator_, *answers_,
                                         parts_.desk, parts_.call_options,
                                         [this](std::chrono::milliseconds how_long, const std::stop_token& stop) {
                                           return parts_.desk.sleep(how_long, stop);
                                         });
  calls_ = std::make_unique<ToolCalls>(parts_.env, parts_.terminal, parts_.desk, *call_, *tools_, verdict_.admitted,
                                       *labeler_, parts_.record.run, parts_.model.id());
  const Json claims = Json::object(
      {{"run_id", parts_.record.run}, {"model_id", parts_.model.id()}, {"pin_digest", opener->pin().digest}});
  watch_ = std::make_unique<ToolWatch>(parts_.env, parts_.session, parts_.gate);
  POSTERN_TRY(const bridge::OpenedCase opened, call_->open_case(*opener, parts_.record.ticket, claims, stop_));
  case_opened_ = true;
  const std::int64_t minutes = opened.expires_in_s / 60;
  parts_.terminal.progress("case", opened.ticket_id + " opened" +
                                       (minutes > 0 ? " (handle good for " + std::to_string(minutes) + " min)" : ""));
  parts_.terminal.progress("model", parts_.model_line);
  return {};
}

Status RunTicket::save_transcript() const {
  return replace_file(parts_.store.folder(parts_.record.run) + "/transcript.bin", transcript_->serialise());
}

bool RunTicket::is_shown_no_more(std::string_view tool) const {
  const std::vector<bridge::ModelTool>& now = tools_->shown();
  if (std::any_of(now.begin(), now.end(), [&](const bridge::ModelTool& t) { return t.name() == tool; })) return false;
  const Result<Json> before = parse_json(transcript_->tools_json(), {32 * 1024 * 1024, 64});
  if (!before) return false;
  const auto& elements = before->elements();
  return std::any_of(elements.begin(), elements.end(), [&](const Json& t) { return t.string_at("name") == tool; });
}

Result<ToolAnswer> RunTicket::answer_use(const ToolUse& use) {
  if (parts_.others != nullptr && parts_.others->owns(use.name)) return parts_.others->answer(use, stop_);
  if (watch_->is_withdrawn(use.name, stop_)) {
    return calls_->withdrawn(use, "the desk withdrew or changed it in this run");
  }
  if (is_shown_no_more(use.name)) return calls_->withdrawn(use, "it was shown before and is withheld now");
  return calls_->answer(use, stop_);
}

Status RunTicket::answer_uses(const std::vector<ToolUse>& uses) {
  move(RunEvent::kWantsTool);
  std::vector<ToolAnswer> answers;
  for (const ToolUse& use : uses) {
    if (stop_.stop_requested()) return bridge::StoppedByPerson{};
    POSTERN_TRY(ToolAnswer answer, answer_use(use));
    answers.push_back(std::move(answer));
  }
  transcript_->append_answers(answers);
  POSTERN_TRY_VOID(save_transcript());
  move(RunEvent::kAnswered);
  return {};
}

Result<bool> RunTicket::take_turn(const ModelTurn& turn) {
  transcript_->append_assistant(turn.content_json);
  POSTERN_TRY_VOID(save_transcript());
  switch (turn.stop) {
    case StopReason::kEndTurn:
      final_text_ = visible_text(turn.text);
      return true;
    case StopReason::kToolUse:
      if (turn.tool_uses.empty()) return ModelReplyMalformed{"it wants a tool and names none"};
      POSTERN_TRY_VOID(answer_uses(turn.tool_uses));
      return false;
    case StopReason::kPauseTurn:
      return false;
    case StopReason::kMaxTokens:
    case StopReason::kContextWindowExceeded:
      return ModelTurnCutOff{turn.stop_text};
    case StopReason::kRefusal:
      return ModelDeclined{turn.refusal};
    case StopReason::kStopSequence:
    case StopReason::kUnknown:
      break;
  }
  return ModelStopUnexpected{turn.stop_text};
}

Status RunTicket::converse() {
  if (!transcript_) {
    std::vector<bridge::ModelTool> shown = tools_->shown();
    const std::vector<bridge::ModelTool> others =
        parts_.others == nullptr ? std::vector<bridge::ModelTool>() : parts_.others->shown();
    shown.insert(shown.end(), others.begin(), others.end());
    transcript_.emplace(others.empty() ? bridge::system_prompt() : bridge::system_prompt_with_other_servers(), shown,
                        bridge::opening(parts_.record.ticket));
    POSTERN_TRY_VOID(save_transcript());
    move(RunEvent::kAskModel);
  } else if (parts_.record.model_done) {
    // Only the desk's records were left to be read.
    final_text_ = visible_text(last_words(*transcript_));
    move(RunEvent::kAskModel);
    move(RunEvent::kSpokeLast);
    return {};
  } else if (const std::vector<ToolUse> uses = unanswered_uses(*transcript_); !uses.empty()) {
    POSTERN_TRY_VOID(answer_uses(uses));
  } else {
    move(RunEvent::kAskModel);
  }
  int pauses = 0;
  while (steps_ < parts_.max_steps) {
    if (stop_.stop_requested()) return bridge::StoppedByPerson{};
    ++steps_;
    const Result<ModelTurn> turn = parts_.model.next(*transcript_, stop_);
    if (!turn) {
      if (stop_.stop_requested()) return bridge::StoppedByPerson{};
      return turn.error();
    }
    if (turn->stop == StopReason::kPauseTurn && ++pauses > kPauseTurnsMax) return ModelStopUnexpected{turn->stop_text};
    POSTERN_TRY(const bool spoke_last, take_turn(*turn));
    if (spoke_last) {
      move(RunEvent::kSpokeLast);
      return {};
    }
  }
  return ModelStepsUsedUp{parts_.max_steps};
}

RunSummary RunTicket::run(std::optional<Transcript> transcript) {
  transcript_ = std::move(transcript);
  const auto all = [&]() -> Status {
    POSTERN_TRY_VOID(connect());
    move(RunEvent::kConnectedTo);
    POSTERN_TRY(const std::vector<mcp::Tool> tools, parts_.session.list_tools(stop_));
    POSTERN_TRY_VOID(check_pins(tools));
    move(RunEvent::kPinsChecked);
    POSTERN_TRY_VOID(open_case());
    move(RunEvent::kCaseOpened);
    if (parts_.others != nullptr) parts_.others->connect(stop_);
    return converse();
  };
  Status outcome = all();
  // What broke off because of a stop is the stop.
  if (!outcome && stop_.stop_requested() && outcome.error().as<bridge::StillPending>() == nullptr &&
      outcome.error().as<bridge::StoppedByPerson>() == nullptr) {
    outcome = bridge::StoppedByPerson{};
  }
  RunSummary summary;
  finish(summary, outcome);
  return summary;
}

void RunTicket::finish(RunSummary& summary, const Status& outcome) {
  summary.run = parts_.record.run;
  summary.ticket = parts_.record.ticket;
  summary.wire_path = parts_.store.folder(parts_.record.run) + "/wire.jsonl";
  summary.final_text = final_text_;
  summary.pins_checked = pins_checked_;
  summary.steps = steps_;
  for (const pins::PinRefusal& refusal : verdict_.refused) summary.refused_tools.push_back(refusal.tool);
  if (parts_.others != nullptr) {
    const std::vector<std::string>& refused = parts_.others->refused_tools();
    summary.refused_tools.insert(summary.refused_tools.end(), refused.begin(), refused.end());
    summary.servers = parts_.others->standings();
  }
  if (call_) summary.waited = call_->waited();
  if (calls_) {
    summary.paid_now = calls_->paid_now();
    summary.refund_refused = calls_->refund_refused();
    summary.refund_answer = calls_->refund_answer();
    summary.refund_lost = calls_->refund_lost();
    summary.approval = calls_->approval();
    summary.failure = calls_->lasting_failure();
  }
  if (!outcome) {
    if (const auto* pending = outcome.error().as<bridge::StillPending>()) {
      summary.pending = pending->message;
      summary.approval = approval_in(pending->message);
      move(RunEvent::kWaits);
      move(RunEvent::kTimeUp);
    } else {
      summary.failure = outcome.error();
      const auto* stopped = outcome.error().as<bridge::StoppedByPerson>();
      if (stopped != nullptr && stopped->call_in_flight) summary.refund_lost = true;
      move(RunEvent::kFails);
    }
  }
  if (call_ && call_->pending() && !summary.approval) summary.approval = approval_in(call_->pending()->message);
  summary.case_opened = case_opened_;
  if (!case_opened_) return;
  summary.facts = calls_->read_facts(parts_.record.ticket);
  // Also of an earlier part of a run that goes on; a call that never left counts too, which errs on the safe side.
  const std::string refund_call = "\"" + std::string(kRefundTool) + "\"";
  summary.refund_wanted = transcript_ && transcript_->messages_json().find(refund_call) != std::string::npos;
}

std::vector<ToolUse> unanswered_uses(const Transcript& transcript) {
  const Result<Json> messages = parse_json("[" + transcript.messages_json() + "]", {32 * 1024 * 1024, 64});
  std::vector<ToolUse> uses;
  if (!messages || messages->elements().empty()) return uses;
  const Json& last = messages->elements().back();
  const Json* content = last.find("content");
  if (last.string_at("role") != "assistant" || content == nullptr) return uses;
  for (const Json& block : content->elements()) {
    if (block.string_at("type") != "tool_use") continue;
    const Json* input = block.find("input");
    uses.push_back(
        {std::string(block.string_at("id")), std::string(block.string_at("name")), input == nullptr ? Json() : *input});
  }
  return uses;
}

std::string ModelStepsUsedUp::text() const {
  return "The model did not come to an end in " + std::to_string(steps) + " turns. Give it more: --max-steps";
}

}  // namespace postern::host
