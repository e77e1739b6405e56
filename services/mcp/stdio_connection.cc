#include "services/mcp/stdio_connection.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "services/mcp/answer.h"
#include "services/mcp/failures.h"
#include "wire/base/log.h"
#include "wire/base/visible_text.h"
#include "wire/transport/failures.h"

namespace postern::mcp {
namespace {

constexpr std::string_view kCancelled = "notifications/cancelled";
constexpr std::size_t kReasonCharactersMax = 200;
// For work that was told to stop, before it counts as stuck.
constexpr Milliseconds kHeedMax{300};

SteadyTime now() {
  return SystemClock().steady_now();
}

// Waits for room while the request is wanted: a slow client slows the work down that it asked for.
void wait_for_room(LineOutbox& outbox, const RequestInFlight& request) {
  wait_for_either(outbox.room().free(), request.stop.get_token());
}

// The notifications of one request.
class LineOutlet final : public Outlet {
 public:
  LineOutlet(LineOutbox& outbox, const RequestInFlight& request) : outbox_(outbox), request_(request) {}
  bool send(const std::string& message) override {
    wait_for_room(outbox_, request_);
    return !request_.withdrawn->load() && outbox_.put(message, request_.withdrawn);
  }

 private:
  LineOutbox& outbox_;
  const RequestInFlight& request_;
};

class LineSink final : public SubscriptionSink {
 public:
  LineSink(std::shared_ptr<LineOutbox> outbox, std::shared_ptr<RequestsInFlight> requests,
           RequestsInFlight::Request request)
      : outbox_(std::move(outbox)), requests_(std::move(requests)), request_(std::move(request)) {}

  // Whoever publishes does not wait for a client that does not read: its subscription ends, and it may listen anew.
  bool send(const std::string& message) override {
    if (request_->withdrawn->load()) return false;
    if (outbox_->room().is_free()) return outbox_->put(message, request_->withdrawn);
    outbox_->put(closing_result(request_->id), request_->withdrawn);
    end();
    return false;
  }
  // Behind the result: a client that got it knows already (basic/patterns/subscriptions, "Graceful closure";
  // basic/patterns/cancellation, "Cancellation flow").
  void end() override {
    if (!requests_->finish(request_)) return;
    Json params = Json::object({{"requestId", request_->id.json()}, {"_meta", subscription_meta(request_->id)}});
    outbox_->put(serialise(JsonRpcNotification{std::string(kCancelled), std::move(params)}), request_->withdrawn);
  }

 private:
  const std::shared_ptr<LineOutbox> outbox_;
  const std::shared_ptr<RequestsInFlight> requests_;
  const RequestsInFlight::Request request_;
};

}  // namespace

StdioConnection::StdioConnection(const Server& server, OlderEra* older_era,
                                 std::shared_ptr<const services::Principal> caller, const StdioOptions& options,
                                 LineReader& in, LineWriter& out)
    : server_(server),
      older_era_(older_era),
      caller_(std::move(caller)),
      options_(options),
      in_(in),
      outbox_(std::make_shared<LineOutbox>(out, options.unread_bytes_max,
                                           [this] {
                                             broken_ = true;
                                             reading_.request_stop();
                                           })),
      requests_(std::make_shared<RequestsInFlight>()),
      queue_(options.threads_max, options.waiting_max) {}

Status StdioConnection::run(std::stop_token stop) {
  const std::stop_callback told(stop, [this] { reading_.request_stop(); });
  const Status read = read_lines();
  const bool broken = broken_;
  const bool hung_up = end_by_.has_value() || in_.wait_for_hang_up(SteadyTime(), {}).has_value();
  finish(stop, hung_up);
  if (broken && !hung_up) return PeerClosed{"The client"};
  return read;
}

Status StdioConnection::read_lines() {
  while (wait_for_room(outbox_->room()) && wait_for_room(queue_.room())) {
    const auto line = in_.read_line(end_by_.value_or(SteadyTime::max()), reading_.get_token());
    if (line) {
      if (!line->empty()) take_line(*line);
    } else if (failed_with(line, FrameTooLarge::kId)) {
      send(JsonOverBound{"bytes", JsonBounds{}.bytes_max}, std::nullopt);
    } else if (failed_with(line, PeerClosed::kId)) {
      end_by_ = end_by_.value_or(now() + options_.end_ms_max);
      return {};
    } else if (failed_with(line, Cancelled::kId) || failed_with(line, TimedOut::kId)) {
      return {};
    } else {
      return line.error();
    }
  }
  return {};
}

bool StdioConnection::wait_for_room(Room& room) {
  const std::stop_token told = reading_.get_token();
  while (!room.is_free()) {
    if (told.stop_requested()) return false;
    const std::stop_token free = room.free();
    if (end_by_) {
      if (!wait_for_either(free, told, *end_by_)) return false;
      continue;
    }
    std::stop_source wake;
    const std::stop_callback on_room(free, [&wake] { wake.request_stop(); });
    const std::stop_callback on_told(told, [&wake] { wake.request_stop(); });
    if (in_.wait_for_hang_up(SteadyTime::max(), wake.get_token())) end_by_ = now() + options_.end_ms_max;
  }
  return true;
}

// What is in flight may finish, and be taken, until the time is over; then it is told to stop.
void StdioConnection::finish(const std::stop_token& stop, bool hung_up) {
  const SteadyTime end_by = end_by_.value_or(now() + options_.end_ms_max);
  for (const auto& request : requests_->all()) {
    if (request->subscription) server_.subscriptions().end(*request->subscription);
  }
  // A client that waits for the end after it has closed our input may press for it by a signal (basic/transports/stdio,
  // "Shutdown").
  if (!broken_) wait_for_either(queue_.idle(), hung_up ? stop : std::stop_token(), end_by);
  for (const auto& request : requests_->all()) request->stop.request_stop();
  const Status sent = outbox_->close(hung_up && stop.stop_requested() ? now() : end_by);
  if (!sent && !broken_) log_warning("the client did not take everything that was sent before the end");
  if (!queue_.stop(std::max(end_by, now()) + kHeedMax)) {
    log_error("a request went on after it was told to stop");
    if (options_.on_stuck) options_.on_stuck();
  }
}

void StdioConnection::take_line(const std::string& line) {
  const auto message = parse_message(line);
  if (!message) {
    const auto id = request_id_of(message.error());
    const bool notifies = message.error().as<MalformedMessageParams>() != nullptr && !id;
    if (!notifies) send(message.error(), id);  // a notification has no answer, whatever is wrong with it
  } else if (const auto* request = std::get_if<JsonRpcRequest>(&*message)) {
    take_request(*request);
  } else if (const auto* notification = std::get_if<JsonRpcNotification>(&*message)) {
    if (notification->method == kCancelled) take_cancellation(notification->params);
  }
  // A response: nobody here has asked for one.
}

void StdioConnection::take_request(const JsonRpcRequest& request) {
  const auto in_flight = requests_->begin(request.id);
  if (in_flight == nullptr) {
    send(MalformedMessage{"a request with this id is in flight", request.id}, request.id);
    return;
  }
  const RequestContext context{caller_, nullptr, nullptr, std::nullopt};
  auto accepted = accept_of_either_era(server_, older_era_, request, context);
  if (!accepted) {
    if (requests_->finish(in_flight)) send(accepted.error(), request.id);
  } else if (auto* subscription = std::get_if<PreparedListen>(&*accepted)) {
    listen(std::move(*subscription), in_flight);
  } else {
    auto& prepared = std::get<PreparedRequest>(*accepted);
    if (prepared.lane() == Lane::kLoop) {
      carry_out(in_flight, prepared);
    } else {
      queue_.put([this, in_flight, prepared = std::move(prepared)] { carry_out(in_flight, prepared); });
    }
  }
}

// basic/patterns/cancellation: what is malformed, unknown or finished is ignored.
void StdioConnection::take_cancellation(const Json& params) {
  const Json* wanted = params.find("requestId");
  const auto id = wanted == nullptr ? std::nullopt : RequestId::of_json(*wanted);
  if (!id) return;
  const auto request = requests_->cancel(*id);
  if (request == nullptr) return;
  const std::string_view reason = params.string_at("reason");
  log_info("the client cancelled request " + visible_line(id->json().dump(), 80) +
           (reason.empty() ? "" : ": " + visible_line(reason, kReasonCharactersMax)));
  if (!request->subscription) return;
  server_.subscriptions().close(*request->subscription);
  static_cast<void>(requests_->finish(request));
}

void StdioConnection::listen(PreparedListen listen, const RequestsInFlight::Request& request) {
  const auto number =
      server_.subscriptions().open(std::move(listen), std::make_shared<LineSink>(outbox_, requests_, request));
  if (number) {
    request->subscription = *number;
  } else if (requests_->finish(request)) {
    send(number.error(), request->id);
  }
}

void StdioConnection::carry_out(const RequestsInFlight::Request& request, const PreparedRequest& prepared) {
  LineOutlet outlet(*outbox_, *request);
  std::string body;
  const bool wanted = !request->withdrawn->load();
  try {
    const RunContext context{true, request->stop.get_token(), prepared.notifies() ? &outlet : nullptr};
    if (wanted) body = prepared.run(context).value_or(Answer{}).body;
  } catch (...) {
    // The text may hold anything (a path, SQL, a token): it goes nowhere.
    log_error("a handler threw; answered -32603");
    body = serialise(JsonRpcError{request->id, static_cast<std::int64_t>(ErrorCode::kInternalError), "Internal error.",
                                  std::nullopt});
  }
  if (prepared.lane() != Lane::kLoop) mcp::wait_for_room(*outbox_, *request);
  if (requests_->finish(request)) outbox_->put(std::move(body));
}

void StdioConnection::send(const Failure& failure, std::optional<RequestId> id) {
  outbox_->put(serialise(error_of(failure, std::move(id))));
}

}  // namespace postern::mcp
