#include "bridge/stdio_transport.h"

#include <algorithm>

#include "wire/base/visible_text.h"
#include "wire/mcp/types.h"

namespace postern::bridge {
namespace {

constexpr std::string_view kSubscriptionId = "io.modelcontextprotocol/subscriptionId";
constexpr std::string_view kListen = "subscriptions/listen";
constexpr std::string_view kCancelled = "notifications/cancelled";
constexpr std::size_t kNotificationsMax = 4096;  // of one request, not yet handled
constexpr std::size_t kRepliesMax = 256 * 1024;  // bytes for a server that asks and does not read
constexpr std::size_t kExcerpt = 160;
constexpr std::chrono::milliseconds kPauseMax{5'000};

const Json* meta_of(const Json& params, std::string_view key) {
  const Json* const meta = params.find("_meta");
  return meta == nullptr ? nullptr : meta->find(key);
}

std::string how_of(const LineProcessEnd& end, std::size_t line_bytes_max) {
  using Why = LineProcessEnd::Why;
  switch (end.why) {
    case Why::kExited:
      if (!end.status) return "";
      return *end.status > 128 ? "by signal " + std::to_string(*end.status - 128)
                               : "with status " + std::to_string(*end.status);
    case Why::kClosedOutput:
      return "its output";
    case Why::kClosedInput:
      return "its input";
    case Why::kLineTooLong:
      return "by our hand, after a line of more than " + std::to_string(line_bytes_max) + " bytes,";
    case Why::kEnded:
      return "by our hand";
  }
  return "";
}

// The last line of it that says something.
std::string last_words(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  const std::size_t line = text.rfind('\n');
  return visible_line(line == std::string::npos ? text : text.substr(line + 1), kExcerpt);
}

}  // namespace

StdioTransport::Waiting::Waiting(std::int64_t number, const OutgoingRequest& outgoing)
    : id(number), method(outgoing.method), progress_token([&outgoing]() -> std::optional<Json> {
        const Json* const token = meta_of(outgoing.params, "progressToken");
        return token == nullptr ? std::nullopt : std::optional<Json>(*token);
      }()) {}

StdioTransport::StdioTransport(Env env, StdioTransportOptions options) : env_(env), options_(std::move(options)) {}

StdioTransport::~StdioTransport() {
  Process process;
  {
    const MutexLock lock(mutex_);
    process = std::move(process_);
  }
  process.reset();  // joins the thread that calls back
}

void StdioTransport::speak_older_era(std::string_view /*protocol_version*/) {
  older_era_ = true;
}

void StdioTransport::leave_older_era(SteadyTime /*deadline*/) {
  older_era_ = false;
}

int StdioTransport::generation() const {
  const MutexLock lock(mutex_);
  return generation_;
}

int StdioTransport::process_id() const {
  const MutexLock lock(mutex_);
  return process_ == nullptr ? 0 : process_->process_id();
}

Failure StdioTransport::exited(bool sent) const {
  ServerExited failure;
  failure.command = visible_line(options_.command);
  failure.how = how_;
  if (process_ != nullptr) failure.said = last_words(process_->error_tail());
  failure.sent = sent;
  failure.starts = generation_;
  failure.given_up = generation_ > options_.restarts_max;
  return failure;
}

Result<StdioTransport::Process> StdioTransport::running(std::string_view method, SteadyTime deadline,
                                                        const std::stop_token& stop) {
  const MutexLock starting(start_mutex_);
  Process gone;
  {
    const MutexLock lock(mutex_);
    if (process_ != nullptr && ended_generation_ < generation_) return process_;
    const bool may_start =
        generation_ == 0 || (generation_ <= options_.restarts_max && (!older_era_ || method == "initialize"));
    if (!may_start) return exited(false);
    gone = std::move(process_);
  }
  gone.reset();  // nothing of the last one is left when the next one begins
  POSTERN_TRY_VOID(pause(deadline, stop));
  return start();
}

// The first restart is made at once: most programs that end do so once.
Status StdioTransport::pause(SteadyTime deadline, const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  if (generation_ < 2) return {};
  const Milliseconds grown = options_.pause_first * (1 << std::min(generation_ - 2, 10));
  const SteadyTime due = ended_at_ + std::min(grown, kPauseMax);
  for (SteadyTime now = env_.clock.steady_now(); now < std::min(due, deadline); now = env_.clock.steady_now()) {
    if (stop.stop_requested()) return Cancelled{};
    changed_.wait_for(mutex_, stop, std::min(due, deadline) - now, [] { return false; });
  }
  if (due > deadline) return TimedOut{visible_line(options_.command)};
  return {};
}

Result<StdioTransport::Process> StdioTransport::start() {
  LineProcessOptions options;
  options.argv.push_back(options_.command);
  options.argv.insert(options.argv.end(), options_.args.begin(), options_.args.end());
  options.environment = options_.environment;
  options.working_folder = options_.working_folder;
  options.line_bytes_max = options_.line_bytes_max;
  options.patience = options_.patience;
  options.tap = {&env_.tap, "host", options_.name};
  int generation = 0;
  {
    const MutexLock lock(mutex_);
    generation = ++generation_;
    printed_.clear();
  }
  LineProcess::Events events;
  events.on_line = [this, generation](LineProcess& process, const std::string& line) {
    take_line(process, generation, line);
  };
  events.on_end = [this, generation](const LineProcessEnd& end) { take_end(generation, end); };
  auto started = LineProcess::start(std::move(options), std::move(events));
  const MutexLock lock(mutex_);
  if (!started) {
    how_ = "before it began";
    ended_generation_ = generation;
    ended_at_ = env_.clock.steady_now();
    return started.error();
  }
  process_ = Process(*std::move(started));
  return process_;
}

Result<ServerAnswer> StdioTransport::exchange(const OutgoingRequest& request, const std::stop_token& stop) {
  if (stop.stop_requested()) return Cancelled{};
  POSTERN_TRY(const Process process, running(request.method, request.deadline, stop));
  const auto waiting = std::make_shared<Waiting>(next_id_++, request);
  std::uint64_t line = 0;
  {
    const MutexLock lock(mutex_);
    // The generation of `process`, unless that has ended and another was started meanwhile; then put() says so.
    waiting->generation = generation_;
    if (process == process_ && ended_generation_ < generation_) {
      waiting_.push_back(waiting);
      line = process->put(serialise(JsonRpcRequest{waiting->id, request.method, request.params}));
    }
    if (line == 0) {
      forget(*waiting);
      return exited(false);
    }
  }
  return wait_for(request, waiting, *process, line, stop);
}

Result<ServerAnswer> StdioTransport::wait_for(const OutgoingRequest& request, const std::shared_ptr<Waiting>& waiting,
                                              LineProcess& process, std::uint64_t line, const std::stop_token& stop) {
  SignsOfLife life(env_.clock, request);
  for (;;) {
    std::optional<JsonRpcNotification> notification;
    const SteadyTime now = env_.clock.steady_now();
    {
      const MutexLock lock(mutex_);
      const bool nothing_to_do = waiting->notifications.empty() && !waiting->outcome;
      if (nothing_to_do && !stop.stop_requested() && now < life.deadline()) {
        const auto left = std::min<SteadyTime::duration>(life.deadline() - now, std::chrono::hours(1));
        changed_.wait_for(mutex_, stop, left,
                          [&waiting] { return !waiting->notifications.empty() || waiting->outcome.has_value(); });
      }
      if (!waiting->notifications.empty()) {
        notification = std::move(waiting->notifications.front());
        waiting->notifications.pop_front();
      } else if (waiting->outcome) {
        forget(*waiting);
        return *std::move(waiting->outcome);
      }
    }
    if (notification) {
      life.take(*notification);
      const bool goes_on = !request.on_notification || request.on_notification(*notification);
      if (!goes_on) return end_early(*waiting, process, line, EndedByCaller{request.method}, "no longer wanted");
    }
    if (stop.stop_requested()) return end_early(*waiting, process, line, Cancelled{}, "stopped");
    if (env_.clock.steady_now() >= life.deadline()) {
      return end_early(*waiting, process, line, life.failure(), "timed out");
    }
  }
}

Result<ServerAnswer> StdioTransport::end_early(Waiting& waiting, LineProcess& process, std::uint64_t line,
                                               Failure failure, std::string_view reason) {
  {
    const MutexLock lock(mutex_);
    forget(waiting);
    if (waiting.outcome) return *std::move(waiting.outcome);  // it came just now: there is nothing to cancel
    if (const auto* timed_out = failure.as<RequestTimedOut>()) {
      RequestTimedOut with_print = *timed_out;
      with_print.printed = printed_;
      failure = with_print;
    }
  }
  if (process.withdraw(line) || waiting.method == "initialize") return failure;
  const Json params = Json::object({{"requestId", waiting.id.json()}, {"reason", Json(reason)}});
  process.put(serialise(JsonRpcNotification{std::string(kCancelled), params}));
  return failure;
}

Status StdioTransport::notify(const JsonRpcNotification& notification, SteadyTime deadline,
                              const std::stop_token& stop) {
  POSTERN_TRY(const Process process, running(notification.method, deadline, stop));
  if (process->put(serialise(notification)) != 0) return {};
  const MutexLock lock(mutex_);
  return exited(false);
}

void StdioTransport::forget(const Waiting& waiting) {
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(),
                                [&waiting](const std::shared_ptr<Waiting>& one) { return one.get() == &waiting; }),
                 waiting_.end());
}

void StdioTransport::take_line(LineProcess& process, int generation, const std::string& line) {
  if (line.empty()) return;
  JsonBounds bounds;
  bounds.bytes_max = options_.line_bytes_max;
  Result<JsonRpcMessage> message = parse_message(line, bounds);
  if (const auto* request = message ? std::get_if<JsonRpcRequest>(&*message) : nullptr)
    return answer(process, *request);
  const MutexLock lock(mutex_);
  if (generation != generation_) return;
  if (!message) {
    const std::optional<RequestId> id = request_id_of(message.error());
    if (id) return deliver(*id, message.error());
    // A message too large to be read at all: when one request waits, it is this one's answer.
    if (failed_with(message, "json.over_bound") && waiting_.size() == 1) {
      return deliver(RequestId(waiting_.front()->id), message.error());
    }
    printed_ = visible_line(line, kExcerpt);
  } else if (auto* result = std::get_if<JsonRpcResult>(&*message)) {
    const RequestId id = result->id;
    deliver(id, ServerAnswer(std::move(*result)));
  } else if (auto* error = std::get_if<JsonRpcError>(&*message)) {
    if (!error->id) return deliver_to_the_only_one(std::move(*error));
    const RequestId id = *error->id;
    deliver(id, ServerAnswer(std::move(*error)));
  } else {
    route(std::get<JsonRpcNotification>(std::move(*message)));
  }
}

void StdioTransport::deliver(const RequestId& id, Result<ServerAnswer> outcome) {
  for (const std::shared_ptr<Waiting>& waiting : waiting_) {
    if (!(waiting->id == id) || waiting->outcome) continue;
    waiting->outcome = std::move(outcome);
    changed_.notify_all();
    return;
  }
}

// A server that could not read a request cannot name it (JSON-RPC 2.0, "Error object").
void StdioTransport::deliver_to_the_only_one(JsonRpcError error) {
  if (waiting_.size() == 1) deliver(RequestId(waiting_.front()->id), ServerAnswer(std::move(error)));
}

void StdioTransport::route(JsonRpcNotification notification) {
  const Json* const subscription = meta_of(notification.params, kSubscriptionId);
  const Json* const token =
      notification.method == "notifications/progress" ? notification.params.find("progressToken") : nullptr;
  const Json* const cancelled = notification.method == kCancelled ? notification.params.find("requestId") : nullptr;
  for (const std::shared_ptr<Waiting>& waiting : waiting_) {
    if (cancelled != nullptr && waiting->method == kListen && waiting->id.json() == *cancelled) {
      // The server ends a subscription; its result may come after this, or not at all.
      return deliver(RequestId(waiting->id),
                     ServerAnswer(JsonRpcResult{waiting->id, Json::object({{"resultType", "complete"}})}));
    }
    const bool is_of_it = subscription != nullptr
                              ? waiting->id.json() == *subscription
                              : token != nullptr && waiting->progress_token && *waiting->progress_token == *token;
    if (!is_of_it || waiting->outcome) continue;
    if (waiting->notifications.size() >= kNotificationsMax) {
      waiting->outcome = BadResponse{"more notifications came than can be handled"};
      waiting->notifications.clear();
    } else {
      waiting->notifications.push_back(std::move(notification));
    }
    changed_.notify_all();
    return;
  }
}

void StdioTransport::answer(LineProcess& process, const JsonRpcRequest& request) const {
  if (!older_era_ || process.queued() > kRepliesMax) return;
  if (request.method == "ping") {
    process.put(serialise(JsonRpcResult{request.id, Json::object()}));
    return;
  }
  JsonRpcError error;
  error.id = request.id;
  error.code = static_cast<std::int64_t>(ErrorCode::kMethodNotFound);
  error.message = "This client does not do that.";
  process.put(serialise(error));
}

void StdioTransport::take_end(int generation, const LineProcessEnd& end) {
  const MutexLock lock(mutex_);
  if (generation != generation_) return;
  ended_generation_ = generation;
  ended_at_ = env_.clock.steady_now();
  how_ = how_of(end, options_.line_bytes_max);
  const Failure failure = exited(true);
  for (const std::shared_ptr<Waiting>& waiting : waiting_) {
    if (waiting->generation == generation && !waiting->outcome) waiting->outcome = failure;
  }
  changed_.notify_all();
}

}  // namespace postern::bridge
