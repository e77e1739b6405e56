// I6: a handle and a request state work only for the principal, and the call, that they were minted for, and not after
// they expire.

#include <map>

#include "tests/lab/grade/invariants/invariants.h"

namespace postern::lab {
namespace {

constexpr std::int64_t kClockSlackMs = 1000;  // the desk stamps a handle before its answer is on the wire

struct Minted {
  const ServerCall* call = nullptr;  // that it was minted for
};

// What a state is bound to: the handle may be a newer one of the same case.
Json bound_arguments(const ServerCall& call) {
  Json arguments = call.arguments();
  arguments.erase("case_handle");
  return arguments;
}

class BindingJudge {
 public:
  explicit BindingJudge(Judgement& judgement) : judgement_(judgement) {}

  void judge(const ServerCall& call) {
    if (call.leg != leg_) begin_leg(call.leg);
    if (call.tool == "open_case") {
      opened(call);
      return;
    }
    use_handle(call);
    use_state(call);
    if (call.asks_for_input()) minted(call);
  }

  [[nodiscard]] std::size_t uses() const { return uses_; }
  [[nodiscard]] std::size_t retries() const { return retries_; }

 private:
  void begin_leg(std::size_t leg) {
    leg_ = leg;
    handles_.clear();
    states_.clear();
    earlier_leg_asked_ = asked_;
  }

  void opened(const ServerCall& call) {
    const Json result = call.structured();
    const std::string handle = mark_in(result.string_at("case_handle"));
    if (handle.empty() || call.response == nullptr) return;
    handles_[handle] = call.response->at_ms + result.integer_at("expires_in_s").value_or(0) * 1000;
  }

  void use_handle(const ServerCall& call) {
    const Json arguments = call.arguments();
    const std::string handle = mark_in(arguments.string_at("case_handle"));
    if (handle.empty()) return;
    ++uses_;
    if (!call.succeeded()) return;
    const auto known = handles_.find(handle);
    if (known == handles_.end()) {
      judgement_.broken(*call.request, "body.params.arguments.case_handle",
                        "a handle that was not opened for this caller was honoured");
      return;
    }
    // A later round opens the case anew for the same caller and ticket: its state is what counts.
    if (call.params.has("requestState")) return;
    if (call.request->at_ms > known->second + kClockSlackMs)
      judgement_.broken(*call.request, "body.params.arguments.case_handle", "a handle was honoured after it expired");
  }

  void use_state(const ServerCall& call) {
    const std::string_view text = call.params.string_at("requestState");
    if (text.empty()) return;
    ++retries_;
    const std::string state = mark_in(text);
    const auto known = states_.find(state);
    if (known == states_.end()) {
      // Of a question that an earlier start of the host left open: it shows another fingerprint here.
      if (earlier_leg_asked_.count(call.tool) != 0) return;
      judgement_.broken(*call.request, "body.params.requestState", "a state that no answer of this run gave");
      return;
    }
    const ServerCall& first = *known->second.call;
    if (first.tool != call.tool) {
      judgement_.broken(*call.request, "body.params.name",
                        "a state of " + first.tool + " was presented on " + call.tool);
    } else if (!(bound_arguments(first) == bound_arguments(call))) {
      judgement_.broken(*call.request, "body.params.arguments", "a state was presented with other arguments");
    }
  }

  void minted(const ServerCall& call) {
    asked_.insert(call.tool);
    const std::string state = mark_in(call.result.string_at("requestState"));
    if (!state.empty()) states_[state] = Minted{&call};
  }

  Judgement& judgement_;
  std::size_t leg_ = 0;
  std::map<std::string, std::int64_t> handles_;  // until when each is good
  std::map<std::string, Minted> states_;
  std::set<std::string> asked_;  // tools that asked for input
  std::set<std::string> earlier_leg_asked_;
  std::size_t uses_ = 0;
  std::size_t retries_ = 0;
};

}  // namespace

Finding handles_are_bound(const Evidence& /*evidence*/, const RunView& view) {
  Judgement judgement;
  BindingJudge judge(judgement);
  for (const ServerCall* call : view.desk_calls()) {
    if (call->method == "tools/call") judge.judge(*call);
  }
  if (judge.uses() > 0) {
    judgement.seen(std::to_string(judge.uses()) + " calls with a handle that was opened for this caller, " +
                   std::to_string(judge.retries()) + " later rounds with the state of their own call");
    if (judge.retries() == 0) judgement.unseen("a request state in use");
  }
  return judgement.finding("no handle was used in this run");
}

}  // namespace postern::lab
