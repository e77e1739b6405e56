#include "bridge/call.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "bridge/oauth/failures.h"
#include "wire/base/replace_text.h"
#include "wire/base/visible_text.h"
#include "wire/mcp/headers.h"

namespace postern::bridge {
namespace {

constexpr int kSendsMax = 4;
constexpr std::size_t kQuestionsMax = 4;  // of one round: what a person can hold in mind
constexpr std::chrono::milliseconds kFarewellMax{2'000};

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
      "bridge.ended_by_caller",
      "bridge.timed_out",
      "bridge.too_many",
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
  if (const auto* exited = failure.as<ServerExited>()) return exited->sent;
  return std::find(std::begin(kMayHaveRun), std::end(kMayHaveRun), failure.id()) != std::end(kMayHaveRun);
}

// The server does not take the request state: it ran out, or it is of another caller or key.
bool state_refused(const Failure& failure) {
  const auto* error = failure.as<ServerError>();
  return error != nullptr && error->code == static_cast<std::int64_t>(ErrorCode::kInvalidParams);
}

// Fires by itself soon: after Ctrl-C a server is still told that its question has no answer, and is not waited for.
class Farewell {
 public:
  Farewell()
      : timer_([this](const std::stop_token& over) {
          std::mutex mutex;
          std::condition_variable_any signal;
          std::unique_lock<std::mutex> lock(mutex);
          signal.wait_for(lock, over, kFarewellMax, [] { return false; });
          source_.request_stop();
        }) {}
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread timer_;
};

// Where the ticket goes: "ticket_id", as our own desk has it, or else the one text that the reviewed definition
// demands. Empty when there is no such place.
std::string ticket_argument_of(const Json& input_schema) {
  constexpr std::string_view kUsual = "ticket_id";
  const Json* properties = input_schema.find("properties");
  if (properties == nullptr) return {};
  if (properties->has(kUsual)) return std::string(kUsual);
  const Json* required = input_schema.find("required");
  if (required == nullptr || required->elements().size() != 1) return {};
  const std::string* name = required->elements().front().string();
  const Json* property = name == nullptr ? nullptr : properties->find(*name);
  return property != nullptr && property->string_at("type") == "string" ? *name : std::string();
}

std::string text_of(const mcp::CallToolResult& result) {
  std::string text;
  for (const Json& block : result.content.elements()) {
    if (!text.empty()) text += ' ';
    text += block.string_at("text");
  }
  return visible_line(text);
}

// A call is one operation from its first sending to its end, however many rounds it waits: a scope that was granted for
// it is kept as long, and given back whichever way it ends.
class OneOperation {
 public:
  explicit OneOperation(RequestAuthorizer& authorizer) : authorizer_(authorizer) { authorizer_.begin_operation(); }
  ~OneOperation() { authorizer_.end_operation(); }
  OneOperation(const OneOperation&) = delete;
  OneOperation& operator=(const OneOperation&) = delete;

 private:
  RequestAuthorizer& authorizer_;
};

}  // namespace

Call::Call(Env env, Session& session, RequestAuthorizer& authorizer, const ResultValidator& validator,
           InputAnswerer& answerer, CallObserver& observer, CallOptions options, Sleep sleep)
    : env_(env),
      session_(session),
      authorizer_(authorizer),
      validator_(validator),
      answerer_(answerer),
      observer_(observer),
      options_(std::move(options)),
      sleep_(std::move(sleep)) {}

Result<OpenedCase> Call::open_case(const pins::PinnedTool& tool, std::string_view ticket_id, const Json& claims,
                                   std::stop_token stop) {
  const OneOperation operation(authorizer_);
  mcp::CallToolParams params;
  params.name = tool.name();
  const std::string argument = ticket_argument_of(tool.tool().input_schema);
  if (argument.empty())
    return CaseNotOpened{"The reviewed definition of " + tool.name() + " has no place for a ticket."};
  params.arguments = Json::object({{argument, ticket_id}});
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
  // A desk that does not repeat the ticket opened the one that it was asked for.
  const std::string_view repeated = opened.string_at("ticket_id");
  opened_case.ticket_id = visible_line(repeated.empty() ? ticket_id : repeated, 40);
  opened_case.desk = visible_line(opened.string_at("desk"), 40);
  opened_case.opened_for = visible_line(opened.string_at("opened_for"), 80);
  opened_case.expires_in_s = opened.integer_at("expires_in_s").value_or(0);
  return opened_case;
}

Json Call::with_bound_argument(const pins::PinnedTool& tool, const Json& arguments) const {
  if (options_.bound_argument.empty()) return arguments;
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
  std::vector<mcp::ParamHeader> headers;
  if (session_.transport().mirrors_parameters()) {
    POSTERN_TRY(headers, mcp::param_headers_of(tool.tool().input_schema));
  }
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

Result<Call::Answers> Call::answer(const pins::PinnedTool& tool, const mcp::InputRequiredResult& asked,
                                   const std::stop_token& stop) {
  if (asked.input_requests.size() > kQuestionsMax) return InputNotSupported{"more than four questions at once"};
  for (const mcp::InputRequest& request : asked.input_requests) POSTERN_TRY_VOID(answerer_.understands(request));
  Answers answers;
  for (const mcp::InputRequest& request : asked.input_requests) {
    InputAnswer answer = answerer_.answer(tool.name(), request, stop);
    answers.responses.push_back({request.key, std::move(answer.response)});
    if (answer.ending && !answers.ending) answers.ending = std::move(answer.ending);
    answers.pending = answers.pending || answer.pending.has_value();
    if (answer.pending) pending_ = std::move(answer.pending);
  }
  return answers;
}

Result<std::optional<mcp::ElicitAction>> Call::wait(std::chrono::milliseconds pause, SteadyTime since,
                                                    std::stop_token stop) {
  using std::chrono::duration_cast;
  std::optional<mcp::ElicitAction> withdrawal;
  const SteadyTime began = env_.clock.steady_now();
  const SteadyTime until = began + pause;
  while (env_.clock.steady_now() < until) {
    const SteadyTime now = env_.clock.steady_now();
    observer_.waiting(duration_cast<Seconds>(now - since), options_.wait_max);
    const auto left = std::chrono::ceil<Milliseconds>(until - now);
    if (sleep_(std::min<Milliseconds>(left, Milliseconds(1000)), stop)) return StoppedByPerson{};
    withdrawal = answerer_.withdrawn();
    if (withdrawal) break;
  }
  waited_ += std::min(pause, duration_cast<Milliseconds>(env_.clock.steady_now() - began));
  return withdrawal;
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
                      bool waits) const {
  if (options_.rounds == nullptr) return;
  if (!waits || !asked.request_state) {
    options_.rounds->forget(tool.name(), arguments);
    return;
  }
  WaitingRound round{*asked.request_state, {}};
  for (const mcp::InputRequest& request : asked.input_requests) round.asked.push_back(request.key);
  options_.rounds->keep(tool.name(), arguments, std::move(round));
}

Result<ValidatedResult> Call::take(const pins::PinnedTool& tool, const Json& arguments,
                                   const mcp::CallToolResult& result) {
  if (options_.rounds != nullptr) options_.rounds->forget(tool.name(), arguments);
  Result<ValidatedResult> valid = validator_.validate(tool.name(), result);
  observer_.verdict(Layer::kSchema, tool.name(), valid.has_value());
  if (!valid && options_.moves_money.contains(tool.name())) return OutcomeUnknown{tool.name(), valid.error().text()};
  return valid;
}

Result<mcp::CallToolOutcome> Call::send_last_word(const pins::PinnedTool& tool, const mcp::CallToolParams& params,
                                                  const Json& claims, const std::stop_token& stop) {
  if (!stop.stop_requested()) return send(tool, params, claims, stop);
  const Farewell farewell;
  return send(tool, params, claims, farewell.token());
}

Status Call::follow(const pins::PinnedTool& tool, const Json& arguments, const mcp::InputRequiredResult& asked,
                    Progress& progress, mcp::CallToolParams& params, const std::stop_token& stop) {
  const bool silent = asked.input_requests.empty();  // "come again later": bounded, whatever the server says
  if (silent && ++progress.silent > options_.silent_rounds_max)
    return TooMany{"rounds of one call", static_cast<std::size_t>(options_.silent_rounds_max)};
  if (!silent && progress.answered >= options_.answered_rounds_max)
    return TooMany{"rounds of questions", static_cast<std::size_t>(options_.answered_rounds_max)};
  const SteadyTime shown_at = env_.clock.steady_now();
  POSTERN_TRY(Answers answers, answer(tool, asked, stop));
  progress.since += env_.clock.steady_now() - shown_at;  // a person takes the time that an answer needs
  keep_round(tool, arguments, asked, !answers.ending && (silent || answers.pending));
  progress.ending = std::move(answers.ending);
  params.input_responses = std::move(answers.responses);
  params.request_state = asked.request_state;
  if (progress.ending) return {};
  if (!silent && !answers.pending) {
    ++progress.answered;
    return {};
  }
  const auto elapsed = env_.clock.steady_now() - progress.since;
  const bool followed = std::exchange(progress.followed, true);  // a wait of 0 still checks once
  if (elapsed >= options_.wait_max && followed) {
    const std::string_view money = options_.moves_money.contains(tool.name()) ? " Nothing was refunded." : "";
    return StillPending{pending_ ? pending_->message : "The server is not ready yet." + std::string(money)};
  }
  const auto left = std::max(Milliseconds(0), std::chrono::ceil<Milliseconds>(options_.wait_max - elapsed));
  POSTERN_TRY(const auto withdrawal, wait(std::min(progress.pause, left), progress.since, stop));
  progress.pause = std::min(progress.pause * 3 / 2, options_.follow_slowest);
  if (withdrawal) {
    for (mcp::InputResponse& response : params.input_responses) response.response = mcp::elicit_response(*withdrawal);
    progress.ending = Failure(AskedAgain{tool.name(), *withdrawal});
    keep_round(tool, arguments, asked, false);
  }
  return {};
}

Result<ValidatedResult> Call::run(const pins::PinnedTool& tool, const Json& arguments, const Json& claims,
                                  std::stop_token stop) {
  const OneOperation operation(authorizer_);
  const bool moves_money = options_.moves_money.contains(tool.name());
  std::optional<WaitingRound> kept;
  if (options_.rounds != nullptr) kept = options_.rounds->kept(tool.name(), arguments);
  mcp::CallToolParams params = params_of(tool, arguments, kept);
  Progress progress;
  progress.since = env_.clock.steady_now();
  progress.pause = options_.follow_first;
  progress.followed = kept.has_value();
  while (true) {
    const Result<mcp::CallToolOutcome> outcome =
        progress.ending ? send_last_word(tool, params, claims, stop) : send(tool, params, claims, stop);
    if (!outcome) {
      if (stop.stop_requested()) return StoppedByPerson{moves_money};
      if (kept && state_refused(outcome.error())) {
        options_.rounds->forget(tool.name(), arguments);
        kept.reset();
        progress.followed = false;
        params = params_of(tool, arguments, kept);
        continue;
      }
      if (moves_money && may_have_run(outcome.error())) return OutcomeUnknown{tool.name(), outcome.error().text()};
      return outcome.error();
    }
    kept.reset();
    if (const auto* result = std::get_if<mcp::CallToolResult>(&*outcome)) return take(tool, arguments, *result);
    if (progress.ending) return *progress.ending;  // the server was told that there is no answer, and asks again
    POSTERN_TRY_VOID(follow(tool, arguments, std::get<mcp::InputRequiredResult>(*outcome), progress, params, stop));
  }
}

}  // namespace postern::bridge
