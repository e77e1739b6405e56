// Call: one tool call of the model to its end. The only loop of the bridge.
//
//   send -> 403 insufficient_scope -> step up -> send                        (at most three authorizations)
//        -> input_required -> answer every question -> follow                (at once; or, while something has to
//        happen elsewhere first, after 2 s, growing to 15 s, for at most wait_max)
//        -> result -> validate against the pinned output schema
//
// Every send is a request of its own with a new id; a follow-up carries the newest request state, byte for byte, the
// answers of that round only, and the same arguments. A call that an earlier run left waiting begins with the state
// that was kept of it; when the server refuses that, it begins anew. The link itself is never fetched. When the answer
// to a call that may have moved money is lost, it is not sent again: bridge.outcome_unknown.
//
// Bound arguments (the case handle) are filled in here from a Secret and appear nowhere else. Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/call_observer.h"
#include "bridge/failures.h"
#include "bridge/input_answerer.h"
#include "bridge/model_tools.h"
#include "bridge/oauth/request_authorizer.h"
#include "bridge/result_validator.h"
#include "bridge/session.h"
#include "bridge/waiting_round.h"
#include "pins/pin_gate.h"
#include "wire/base/secret.h"

namespace postern::bridge {

class Call;
struct CaseHandleTag {
  using RevealedBy = Reveals<Call>;
};
using CaseHandle = Secret<CaseHandleTag>;

struct CallOptions {
  std::chrono::seconds wait_max{600};
  std::chrono::milliseconds follow_first{2'000};
  std::chrono::milliseconds follow_slowest{15'000};
  int silent_rounds_max = 10;    // request state without a question: "come again later"
  int answered_rounds_max = 10;  // questions that were answered, and the server asked again
  std::set<std::string, std::less<>> moves_money{"issue_refund"};
  std::string bound_argument = "case_handle";  // empty: the server has no cases
  // Where a call that waits is kept, and found again by a later run; it outlives the Call. Null: nowhere.
  RoundKeeper* rounds = nullptr;
};

// What the host may know of the case it opened. The handle is not in it.
struct OpenedCase {
  std::string ticket_id;
  std::string desk;
  std::string opened_for;
  std::int64_t expires_in_s = 0;  // of the handle; 0: the server did not say
};

class Call {
 public:
  // Waits until the time is up or the token fires; true when it fired. The product's waits on a clock; tests jump.
  using Sleep = std::function<bool(std::chrono::milliseconds, std::stop_token)>;

  Call(Env env, Session& session, RequestAuthorizer& authorizer, const ResultValidator& validator,
       InputAnswerer& answerer, CallObserver& observer, CallOptions options, Sleep sleep);

  // Host only: opens the case and keeps its handle here. case.not_opened when the server says no.
  [[nodiscard]] Result<OpenedCase> open_case(const pins::PinnedTool& tool, std::string_view ticket_id,
                                             const Json& claims, std::stop_token stop);
  // One call of the model or of the host. `arguments` holds no bound argument. Failures: bridge.still_pending,
  // bridge.outcome_unknown, bridge.input_not_supported, bridge.too_many, bridge.stopped, elicitation.*,
  // sign_in.scope_refused, schema.output_invalid, and those of Session::call.
  [[nodiscard]] Result<ValidatedResult> run(const pins::PinnedTool& tool, const Json& arguments, const Json& claims,
                                            std::stop_token stop);
  // Set while and after a call waited for a person.
  [[nodiscard]] const std::optional<PendingApproval>& pending() const { return pending_; }
  // Time spent waiting for people in this run.
  [[nodiscard]] std::chrono::milliseconds waited() const { return waited_; }

 private:
  struct Answers {
    std::vector<mcp::InputResponse> responses;
    std::optional<Failure> ending;  // the server is told, and the call ends
    bool pending = false;           // something has to happen elsewhere first
  };
  [[nodiscard]] Result<mcp::CallToolOutcome> send(const pins::PinnedTool& tool, const mcp::CallToolParams& params,
                                                  const Json& claims, std::stop_token stop);
  // The handle never goes back to whoever reads a result: not when a server quotes it in a text, either.
  [[nodiscard]] Result<mcp::CallToolOutcome> withhold_handle(Result<mcp::CallToolOutcome> outcome) const;
  [[nodiscard]] Result<Answers> answer(const pins::PinnedTool& tool, const mcp::InputRequiredResult& asked,
                                       const std::stop_token& stop);
  // Where one call stands between its rounds.
  struct Progress {
    SteadyTime since;  // when it began, without the time that answers took
    std::chrono::milliseconds pause{0};
    int silent = 0;
    int answered = 0;
    bool followed = false;
    std::optional<Failure> ending;  // the server has been told that there is no answer
  };
  // Answers one round, waits when there is something to wait for, and makes `params` those of the next.
  [[nodiscard]] Status follow(const pins::PinnedTool& tool, const Json& arguments,
                              const mcp::InputRequiredResult& asked, Progress& progress, mcp::CallToolParams& params,
                              const std::stop_token& stop);
  [[nodiscard]] Result<mcp::CallToolOutcome> send_last_word(const pins::PinnedTool& tool,
                                                            const mcp::CallToolParams& params, const Json& claims,
                                                            const std::stop_token& stop);
  [[nodiscard]] Result<ValidatedResult> take(const pins::PinnedTool& tool, const Json& arguments,
                                             const mcp::CallToolResult& result);
  // The first parameters of a call: those of an earlier run's newest round, when `kept` holds it.
  [[nodiscard]] mcp::CallToolParams params_of(const pins::PinnedTool& tool, const Json& arguments,
                                              const std::optional<WaitingRound>& kept) const;
  // For a later run: of a call that waits for nothing outside of it nothing is left.
  void keep_round(const pins::PinnedTool& tool, const Json& arguments, const mcp::InputRequiredResult& asked,
                  bool waits) const;
  // What the person took back meanwhile, if anything: then it ends early.
  [[nodiscard]] Result<std::optional<mcp::ElicitAction>> wait(std::chrono::milliseconds pause, SteadyTime since,
                                                              std::stop_token stop);
  [[nodiscard]] Json with_bound_argument(const pins::PinnedTool& tool, const Json& arguments) const;

  Env env_;
  Session& session_;
  RequestAuthorizer& authorizer_;
  const ResultValidator& validator_;
  InputAnswerer& answerer_;
  CallObserver& observer_;
  CallOptions options_;
  Sleep sleep_;
  CaseHandle handle_;
  std::optional<PendingApproval> pending_;
  std::chrono::milliseconds waited_{0};
};

}  // namespace postern::bridge
