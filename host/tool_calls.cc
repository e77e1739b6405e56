#include "host/tool_calls.h"

#include <algorithm>

#include "bridge/elicitation_policy.h"
#include "bridge/failures.h"
#include "bridge/input_answers.h"
#include "bridge/model_text.h"
#include "bridge/oauth/failures.h"
#include "wire/base/visible_text.h"
#include "wire/transport/http_client.h"

namespace postern::host {
namespace {

// "issue_refund 4800 cents": what a person must see of a call before it is made.
std::string shown_call(const ToolUse& use) {
  std::string shown = visible_line(use.name, 60);
  if (use.name == kRefundTool) {
    if (const auto amount = use.input.integer_at("amount_cents")) shown += " " + std::to_string(*amount) + " cents";
  }
  return shown;
}

// The desk's sentence about a handle that ran out. It gives an unknown one and another caller's the same.
bool handle_is_over(std::string_view sentence) {
  return sentence.find("No open case with that handle") != std::string_view::npos;
}

bool ends_the_run(const Failure& failure) {
  const std::string_view id = failure.id();
  if (id == "bridge.still_pending" || id == "bridge.stopped" || id == "transport.unreachable") return true;
  return id.substr(0, 8) == "sign_in." && id != "sign_in.scope_refused";
}

}  // namespace

ToolCalls::ToolCalls(Env env, Terminal& terminal, OperatorDesk& desk, bridge::Call& call,
                     const bridge::ModelTools& tools, const std::vector<pins::PinnedTool>& pinned,
                     const bridge::Labeler& labeler, std::string run_id, std::string model_id)
    : env_(env),
      terminal_(terminal),
      desk_(desk),
      call_(call),
      tools_(tools),
      pinned_(pinned),
      labeler_(labeler),
      run_id_(std::move(run_id)),
      model_id_(std::move(model_id)) {}

const pins::PinnedTool* ToolCalls::find(std::string_view tool) const {
  const auto found =
      std::find_if(pinned_.begin(), pinned_.end(), [&](const pins::PinnedTool& p) { return p.name() == tool; });
  return found == pinned_.end() ? nullptr : &*found;
}

Json ToolCalls::claims_for(const pins::PinnedTool& tool) const {
  return Json::object({{"run_id", run_id_}, {"model_id", model_id_}, {"pin_digest", tool.pin().digest}});
}

ToolAnswer ToolCalls::say(const ToolUse& use, bridge::ModelText text, std::string_view note) {
  env_.tap.note({Layer::kModel, use.name, true, Json::object({{"text", "the model was told: " + std::string(note)}})});
  desk_.call_line(shown_call(use), "refused", note);
  return ToolAnswer{use.id, std::move(text), true};
}

void ToolCalls::remember_refund(const bridge::ValidatedResult& result) {
  refund_answer_ = visible_line(result.data().substr(0, result.data().find('\n')), 300);
  if (result.is_error()) {
    refund_refused_ = visible_text(result.data());
    // The desk's own word for it: it asked payments and got no answer. That is no refusal.
    if (refund_refused_.starts_with("We do not know yet")) {
      refund_lost_ = true;
      refund_refused_.clear();
      return;
    }
    if (auto seen = approval_in(refund_refused_)) approval_ = std::move(seen);
    if (approval_ && approval_->status == "denied" && !approval_->decided_by.empty()) {
      std::string line = approval_->id + " denied by " + approval_->decided_by;
      constexpr std::string_view kNote = "The supervisor's note: ";
      if (const std::size_t at = refund_refused_.find(kNote); at != std::string::npos) {
        line += ": " + visible_line(refund_refused_.substr(at + kNote.size()), 240);
      }
      terminal_.progress("approval", line);
    }
    return;
  }
  const Json& receipt = result.structured();
  refund_refused_.clear();
  refund_lost_ = false;
  paid_now_.emplace_back(receipt.string_at("refund_id"));
  ApprovalSeen seen{visible_line(receipt.string_at("approval_id"), 40), "approved",
                    visible_line(receipt.string_at("approved_by"), 80)};
  if (!seen.decided_by.empty()) terminal_.progress("approval", seen.id + " approved by " + seen.decided_by);
  approval_ = std::move(seen);
}

ToolAnswer ToolCalls::take(const ToolUse& use, const bridge::ValidatedResult& result, std::chrono::milliseconds took) {
  if (use.name == kRefundTool) remember_refund(result);
  if (result.is_error()) {
    desk_.call_line(shown_call(use), "refused", visible_line(result.data().substr(0, result.data().find('\n')), 200));
  } else {
    desk_.call_line(shown_call(use), "ok", std::to_string(took.count()) + " ms");
  }
  bridge::LabeledResult labeled = labeler_.label(result);
  Json details = Json::object({{"text", "labeled as untrusted data"}});
  if (labeled.hidden_characters() > 0) {
    details.set("hidden_characters", static_cast<std::int64_t>(labeled.hidden_characters()));
    terminal_.progress("hidden", std::to_string(labeled.hidden_characters()) +
                                     " characters that cannot be seen in the result of " + visible_line(use.name, 60) +
                                     " were made visible");
  }
  env_.tap.note({Layer::kModel, use.name, false, std::move(details)});
  const bool is_error = labeled.is_error();
  return ToolAnswer{use.id, std::move(labeled), is_error};
}

Result<ToolAnswer> ToolCalls::failed(const ToolUse& use, const Failure& failure) {
  if (ends_the_run(failure)) return failure;
  if (failure.as<bridge::OutcomeUnknown>() != nullptr) {
    if (use.name == kRefundTool) refund_lost_ = true;
    terminal_.err(failure.text());
    return say(use, bridge::outcome_unknown(), "the outcome is not known");
  }
  if (failure.as<bridge::ScopeRefused>() != nullptr) {
    lasting_failure_ = failure;
    terminal_.err(failure.text());
    return say(use, bridge::scope_refused(), "the permission was refused");
  }
  const std::string_view id = failure.id();
  if (id == "elicitation.link_refused" || id == "bridge.input_not_supported" ||
      bridge::wants_what_was_not_declared(failure)) {
    lasting_failure_ = failure;
    terminal_.err(failure.text());
    return say(use, bridge::link_refused(), "the server's step is not allowed");
  }
  if (failure.as<bridge::AskedAgain>() != nullptr) {
    terminal_.err(failure.text());
    return say(use, bridge::step_declined(), "the server's question got a no");
  }
  if (failure.as<bridge::NobodyToAsk>() != nullptr) {
    terminal_.err(failure.text());
    return say(use, bridge::nobody_for_step(), "nobody can be asked what the server asks for");
  }
  if (id.substr(0, 7) == "schema.") {
    terminal_.err(failure.text());
    return say(use, bridge::result_refused(), "the result is withheld");
  }
  terminal_.detail("call", failure.text());
  if (id == "transport.timed_out" || id == "bridge.timed_out")
    return say(use, bridge::call_timed_out(), "the call timed out");
  // A person must see why: nothing else on the screen says so.
  const std::string text = failure.text();
  return say(use, bridge::call_failed(), "the call failed: " + visible_line(text.substr(0, text.find('\n')), 160));
}

Result<ToolAnswer> ToolCalls::answer(const ToolUse& use, std::stop_token stop) {
  if (tools_.is_host_only(use.name)) return say(use, bridge::host_only_tool(), "the tool is for the host only");
  const auto& shown = tools_.shown();
  const bool offered =
      std::any_of(shown.begin(), shown.end(), [&](const bridge::ModelTool& t) { return t.name() == use.name; });
  const pins::PinnedTool* tool = find(use.name);
  if (!offered || tool == nullptr) return say(use, bridge::no_such_tool(), "there is no such tool");
  if (!use.input.is_object()) return say(use, bridge::arguments_not_an_object(), "the arguments are no object");
  if (const Status fits = tools_.check_arguments(use.name, use.input); !fits) {
    env_.tap.note({Layer::kSchema, use.name, true, Json::object({{"text", "arguments: " + fits.error().text()}})});
    return say(use, bridge::arguments_refused(fits.error()),
               "the arguments do not fit: " + visible_line(fits.error().text(), 160));
  }
  env_.tap.note({Layer::kSchema, use.name, false, Json::object({{"text", "arguments fit"}})});
  desk_.begin_call(shown_call(use));
  const auto waited_before = call_.waited();
  const SteadyTime began = env_.clock.steady_now();
  const Result<bridge::ValidatedResult> result = call_.run(*tool, use.input, claims_for(*tool), std::move(stop));
  terminal_.end_waiting();
  const auto waited = call_.waited() - waited_before;
  if (waited.count() > 0) {
    Json details =
        Json::object({{"text", "waited for a person"}, {"waited_ms", static_cast<std::int64_t>(waited.count())}});
    env_.tap.note({Layer::kOwn, use.name, false, std::move(details)});
  }
  if (!result) return failed(use, result.error());
  const auto took = std::chrono::duration_cast<Milliseconds>(env_.clock.steady_now() - began - waited);
  return take(use, *result, took);
}

ToolAnswer ToolCalls::withdrawn(const ToolUse& use, std::string_view why) {
  return say(use, bridge::tool_withdrawn(), why);
}

bool ToolCalls::open_case_again(std::string_view ticket_id) {
  const pins::PinnedTool* opener = find(kOpenCase);
  if (opener == nullptr) return false;
  const Result<bridge::OpenedCase> opened = call_.open_case(*opener, ticket_id, claims_for(*opener), {});
  env_.tap.note({Layer::kOwn, std::string(kOpenCase), !opened.has_value(),
                 Json::object({{"text", "the handle is over: the case is opened anew to read the desk's records"}})});
  return opened.has_value() && opened->ticket_id == ticket_id;
}

DeskFacts ToolCalls::read_facts(std::string_view ticket_id) {
  const pins::PinnedTool* get_order = find("get_order");
  if (get_order == nullptr) return {};
  const auto& output_schema = get_order->tool().output_schema;
  const Json* shown = output_schema ? output_schema->find("properties") : nullptr;
  if (output_schema && (shown == nullptr || !shown->has("refunds"))) {
    DeskFacts facts;
    facts.shown_by_desk = false;
    return facts;
  }
  Result<bridge::ValidatedResult> order = call_.run(*get_order, Json::object(), claims_for(*get_order), {});
  if (order && order->is_error() && handle_is_over(order->data()) && open_case_again(ticket_id)) {
    order = call_.run(*get_order, Json::object(), claims_for(*get_order), {});
  }
  if (!order) return {};
  if (!order->is_error()) return facts_of(order->structured(), ticket_id);
  // A ticket that is about no order has no refund; every other error leaves it open.
  DeskFacts facts;
  facts.known = order->data().find("is about no order") != std::string::npos;
  return facts;
}

}  // namespace postern::host
