#include "bridge/call.h"

#include <algorithm>
#include <utility>

#include "bridge/elicitation_policy.h"
#include "bridge/oauth/failures.h"
#include "wire/base/replace_text.h"
#include "wire/base/visible_text.h"
#include "wire/mcp/headers.h"

namespace postern::bridge {
namespace {

constexpr int kSendsMax = 4;
constexpr std::size_t kLinksMax = 4;  // that one answer may ask to show

// What stands where a server gave the case handle back, in an error that quotes its arguments for example. A shorter
// one than that could be any word.
constexpr std::string_view kHandleMark = "[the case handle is withheld]";
constexpr std::size_t kHandleBytesMin = 8;

std::string without_handle(std::string text, std::string_view handle) {
  replace_all(text, handle, kHandleMark);
  return text;
}

Json without_handle(const Json& value, std::string_view handle) {
  if (value.string() != nullptr) return without_handle(*value.string(), handle);
  if (value.is_array()) {
    Json array = Json::array();
    for (const Json& element : value.elements()) array.push(without_handle(element, handle));
    return array;
  }
  if (!value.is_object()) return value;
  Json object = Json::object();
  for (const auto& [name, member] : value.members())
    object.append_member(without_handle(name, handle), without_handle(member, handle));
  return object;
}

// Whether the server may have carried the request out although no usable answer came back.
bool may_have_run(const Failure& failure) {
  constexpr std::string_view kMayHaveRun[] = {
      "transport.timed_out",
      "transport.closed",
      "transport.cancelled",
      "transport.response_over_bound",
      "transport.malformed_response",
      "bridge.bad_response",
      "mcp.malformed_result",
      "mcp.unexpected_result_type",
      "json.malformed",
      "json.over_bound",
      "json.duplicate_member",
      "jsonrpc.malformed",
      "transport.frame_too_large",
      "schema.output_invalid",
      "schema.content_refused",
  };
  if (const auto* error = failure.as<ServerError>()) {
    return error->code == static_cast<std::int64_t>(ErrorCode::kInternalError);
  }
  if (const auto* status = failure.as<HttpStatus>()) {
    return status->status < 300 || (status->status >= 500 && status->status != 503);
  }
  return std::find(std::begin(kMayHaveRun), std::end(kMayHaveRun), failure.id()) != std::end(kMayHaveRun);
}

// The server does not take the request state: it ran out, or it is of another caller or key.
bool state_refused(const Failure& failure) {
  const auto* error = failure.as<ServerError>();
  return error != nullptr && error->code == static_cast<std::int64_t>(ErrorCode::kInvalidParams);
}

std::string text_of(const mcp::CallToolResult& result) {
  std::string text;
  for (const Json& block : result.content.elements()) {
    if (!text.empty()) text += ' ';
    text += block.string_at("text");
  }
  return visible_line(text);
}

}  // namespace

Call::Call(Env env, Session& session, RequestAuthorizer& authorizer, const ResultValidator& validator,
           ElicitationHandler& elicitation, CallObserver& observer, CallOptions options, Sleep sleep)
    : env_(env),
      session_(session),
      authorizer_(authorizer),
      validator_(validator),
      elicitation_(elicitation),
      observer_(observer),
      options_(std::move(options)),
      sleep_(std::move(sleep)) {}

Result<OpenedCase> Call::open_case(const pins::PinnedTool& tool, std::string_view ticket_id, const Json& claims,
                                   std::stop_token stop) {
  mcp::CallToolParams params;
  params.name = tool.name();
  params.arguments = Json::object({{"ticket_id", ticket_id}});
  POSTERN_TRY(const mcp::CallToolOutcome outcome, send(tool, params, claims, std::move(stop)));
  const auto* result = std::get_if<mcp::CallToolResult>(&outcome);
  if (result == nullptr) return InputNotSupported{"input before a case is open"};
  if (result->is_error) return CaseNotOpened{text_of(*result)};
  POSTERN_TRY(const ValidatedResult valid, validator_.validate(tool.name(), *result));
  const Json& opened = valid.structured();
  std::string handle(opened.string_at(options_.bound_argument));
  if (handle.empty()) return OutputInvalid{tool.name(), "there is no " + options_.bound_argument};
  handle_ = CaseHandle::take(std::move(handle));
  OpenedCase opened_case;
  opened_case.ticket_id = visible_line(opened.string_at("ticket_id"), 40);
  opened_case.desk = visible_line(opened.string_at("desk"), 40);
  opened_case.opened_for = visible_line(opened.string_at("opened_for"), 80);
  opened_case.expires_in_s = opened.integer_at("expires_in_s").value_or(0);
  return opened_case;
}

Json Call::with_bound_argument(const pins::PinnedTool& tool, const Json& arguments) const {
  Json bound = Json::object();
  const Json* properties = tool.tool().input_schema.find("properties");
  if (properties != nullptr && properties->has(options_.bound_argument)) {
    bound.set(options_.bound_argument, handle_.reveal(Passkey<Call>{}));
  }
  for (const auto& [name, value] : arguments.members()) {
    if (name != options_.bound_argument) bound.append_member(name, value);
  }
  return bound;
}

Result<mcp::CallToolOutcome> Call::send(const pins::PinnedTool& tool, const mcp::CallToolParams& params,
                                        const Json& claims, std::stop_token stop) {
  POSTERN_TRY(const std::vector<mcp::ParamHeader> headers, mcp::param_headers_of(tool.tool().input_schema));
  authorizer_.begin_operation();
  for (int sent = 0; sent < kSendsMax; ++sent) {
    Result<mcp::CallToolOutcome> outcome = withhold_handle(session_.call(params, headers, claims, stop));
    if (outcome) return outcome;
    const auto* needed = outcome.error().as<ScopeNeeded>();
    if (needed == nullptr) return outcome;
    observer_.step_up(tool.name(), needed->scopes);
    POSTERN_TRY_VOID(authorizer_.step_up(needed->www_authenticate, stop));
  }
  return RefusedAfterSignIn{"403 insufficient_scope"};
}

Result<mcp::CallToolOutcome> Call::withhold_handle(Result<mcp::CallToolOutcome> outcome) const {
  const std::string_view handle = handle_.reveal(Passkey<Call>{});
  if (handle.size() < kHandleBytesMin) return outcome;
  if (!outcome) {
    const auto* error = outcome.error().as<ServerError>();
    if (error == nullptr) return outcome;
    return ServerError{error->method, error->code, without_handle(error->message, handle)};
  }
  if (auto* result = std::get_if<mcp::CallToolResult>(&*outcome)) {
    result->content = without_handle(result->content, handle);
    if (result->structured_content) result->structured_content = without_handle(*result->structured_content, handle);
  } else {
    for (mcp::InputRequest& request : std::get<mcp::InputRequiredResult>(*outcome).input_requests)
      request.params = without_handle(request.params, handle);
  }
  return outcome;
}

Result<Call::Answers> Call::answer(const pins::PinnedTool& tool, const mcp::InputRequiredResult& asked) {
  if (asked.input_requests.size() > kLinksMax) return InputNotSupported{"more than four visits to pages at once"};
  Answers answers;
  for (const mcp::InputRequest& request : asked.input_requests) {
    if (request.method != "elicitation/create") return InputNotSupported{visible_line(request.method, 60)};
    const Result<mcp::ElicitRequestUrlParams> params = mcp::read_elicit_url(request);
    if (!params) return InputNotSupported{"an input other than a visit to a page"};
    const Result<CheckedLink> link = check_link(params->url, options_.link_hosts);
    mcp::ElicitAction action = mcp::ElicitAction::kAccept;
    if (!link) {
      const auto* refusal = link.error().as<LinkRefused>();
      elicitation_.link_refused(refusal->url, refusal->reason);
      answers.refused = link.error();
      action = mcp::ElicitAction::kDecline;
    } else {
      std::string message = visible_line(params->message);
      if (shown_links_.insert(params->url).second) {
        LinkRequest shown{tool.name(), message, link->url, link->url.authority(), link->punycode};
        action = elicitation_.show_link(shown);
        if (action != mcp::ElicitAction::kAccept) answers.refused = Failure(StoppedByPerson{});
      } else if (pending_ && pending_->message != message) {
        elicitation_.still_waiting(message);
      }
      pending_ = PendingApproval{std::move(message), link->url.text()};
    }
    answers.responses.push_back({request.key, mcp::elicit_response(action)});
  }
  return answers;
}

Status Call::wait(std::chrono::milliseconds pause, SteadyTime since, std::stop_token stop) {
  using std::chrono::duration_cast;
  const SteadyTime until = env_.clock.steady_now() + pause;
  while (env_.clock.steady_now() < until) {
    const SteadyTime now = env_.clock.steady_now();
    elicitation_.waiting(duration_cast<Seconds>(now - since), options_.wait_max);
    const auto left = std::chrono::ceil<Milliseconds>(until - now);
    if (sleep_(std::min<Milliseconds>(left, Milliseconds(1000)), stop)) return StoppedByPerson{};
  }
  waited_ += pause;
  return {};
}

mcp::CallToolParams Call::params_of(const pins::PinnedTool& tool, const Json& arguments,
                                    const std::optional<WaitingRound>& kept) const {
  mcp::CallToolParams params;
  params.name = tool.name();
  params.arguments = with_bound_argument(tool, arguments);
  if (!kept) return params;
  params.request_state = kept->request_state;
  for (const std::string& key : kept->asked)
    params.input_responses.push_back({key, mcp::elicit_response(mcp::ElicitAction::kAccept)});
  return params;
}

void Call::keep_round(const pins::PinnedTool& tool, const Json& arguments, const mcp::InputRequiredResult& asked,
                      bool ending) const {
  if (options_.rounds == nullptr) return;
  if (ending || !asked.request_state) {
    options_.rounds->forget(tool.name(), arguments);
    return;
  }
  WaitingRound round{*asked.request_state, {}};
  for (const mcp::InputRequest& request : asked.input_requests) round.asked.push_back(request.key);
  options_.rounds->keep(tool.name(), arguments, std::move(round));
}

Result<ValidatedResult> Call::run(const pins::PinnedTool& tool, const Json& arguments, const Json& claims,
                                  std::stop_token stop) {
  const bool moves_money = options_.moves_money.contains(tool.name());
  std::optional<WaitingRound> kept;
  if (options_.rounds != nullptr) kept = options_.rounds->kept(tool.name(), arguments);
  mcp::CallToolParams params = params_of(tool, arguments, kept);
  const SteadyTime since = env_.clock.steady_now();
  std::chrono::milliseconds pause = options_.follow_first;
  std::optional<Failure> ending;
  bool asked_before = kept.has_value();
  for (int silent = 0; silent <= options_.silent_rounds_max;) {
    const Result<mcp::CallToolOutcome> outcome = send(tool, params, claims, stop);
    if (!outcome) {
      if (stop.stop_requested()) return StoppedByPerson{moves_money};
      if (kept && state_refused(outcome.error())) {
        options_.rounds->forget(tool.name(), arguments);
        kept.reset();
        asked_before = false;
        params = params_of(tool, arguments, kept);
        continue;
      }
      if (moves_money && may_have_run(outcome.error())) return OutcomeUnknown{tool.name(), outcome.error().text()};
      return outcome.error();
    }
    kept.reset();
    if (const auto* result = std::get_if<mcp::CallToolResult>(&*outcome)) {
      if (options_.rounds != nullptr) options_.rounds->forget(tool.name(), arguments);
      Result<ValidatedResult> valid = validator_.validate(tool.name(), *result);
      observer_.verdict(Layer::kSchema, tool.name(), valid.has_value());
      if (!valid && moves_money) return OutcomeUnknown{tool.name(), valid.error().text()};
      return valid;
    }
    if (ending) return *ending;  // the server was told that its link was not shown, and asks again
    const auto& asked = std::get<mcp::InputRequiredResult>(*outcome);
    POSTERN_TRY(Answers answers, answer(tool, asked));
    ending = answers.refused;
    keep_round(tool, arguments, asked, ending.has_value());
    params.input_responses = std::move(answers.responses);
    params.request_state = asked.request_state;
    if (asked.input_requests.empty()) ++silent;  // "retry later": bounded, whatever the server says
    if (ending) continue;
    const auto elapsed = env_.clock.steady_now() - since;
    const bool followed = std::exchange(asked_before, true);  // a wait of 0 still checks once
    if (elapsed >= options_.wait_max && followed) {
      return StillPending{pending_ ? pending_->message : "The server is not ready yet. Nothing was refunded."};
    }
    const auto left = std::max(Milliseconds(0), std::chrono::ceil<Milliseconds>(options_.wait_max - elapsed));
    POSTERN_TRY_VOID(wait(std::min(pause, left), since, stop));
    pause = std::min(pause * 3 / 2, options_.follow_slowest);
  }
  return TooMany{"rounds of one call", static_cast<std::size_t>(options_.silent_rounds_max)};
}

}  // namespace postern::bridge
