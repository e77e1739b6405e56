#include "services/mcp/http_endpoint.h"

#include <algorithm>

#include "services/gate/bearer_gate.h"
#include "services/mcp/catalog.h"
#include "services/mcp/failures.h"
#include "wire/mcp/headers.h"

namespace postern::mcp {
namespace {

constexpr std::string_view kJsonType = "application/json";
constexpr std::string_view kEventStreamType = "text/event-stream";

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// "q=0", "q=0.0": not acceptable (RFC 9110 section 12.4.2).
bool is_refused_by_weight(std::string_view range) {
  const std::size_t start = range.find(";");
  if (start == range.npos) return false;
  std::string_view rest = range.substr(start + 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string_view parameter = trim(rest.substr(0, end));
    if (parameter.size() >= 3 && (parameter[0] == 'q' || parameter[0] == 'Q') && parameter[1] == '=') {
      return parameter.substr(2).find_first_not_of("0.") == parameter.npos;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// Whether a media range of an Accept field covers the type.
bool covers(std::string_view range, std::string_view type) {
  if (is_refused_by_weight(range)) return false;
  const std::string name = media_type(range);
  return name == type || name == "*/*" || name == std::string(type.substr(0, type.find('/'))) + "/*";
}

bool accepts(const HeaderList& headers, std::string_view type) {
  for (std::string_view field : headers.all("Accept")) {
    while (!field.empty()) {
      const std::size_t end = std::min(field.find(','), field.size());
      if (covers(trim(field.substr(0, end)), type)) return true;
      field.remove_prefix(std::min(end + 1, field.size()));
    }
  }
  return false;
}

HttpResponse response_of(Answer answer) {
  return json_response(answer.http_status, std::move(answer.body));
}

// The notifications of one request, as events of its stream.
class StreamOutlet final : public Outlet {
 public:
  explicit StreamOutlet(EventStreamWriter writer) : writer_(std::move(writer)) {}
  bool send(const std::string& message) override { return writer_.event(message); }

 private:
  EventStreamWriter writer_;
};

class StreamSink final : public SubscriptionSink {
 public:
  explicit StreamSink(EventStreamWriter writer) : writer_(std::move(writer)) {}
  bool send(const std::string& message) override { return writer_.event(message); }
  void end() override { writer_.finish(); }

 private:
  EventStreamWriter writer_;
};

// A stream whose last event is the response. The work runs in the blocking lane once the stream has begun.
EventStream stream_of(PreparedRequest prepared) {
  auto [stream, writer] = EventStream::open();
  stream.work = [prepared = std::move(prepared), writer = writer](std::stop_token stop) {
    StreamOutlet outlet(writer);
    const auto answer = prepared.run({true, stop, &outlet});
    if (answer) writer.event(answer->body);
    writer.finish();
  };
  return stream;
}

}  // namespace

struct HttpEndpoint::Taken {
  std::optional<HttpReply> reply;
  std::optional<PreparedRequest> prepared;
};

std::optional<HttpResponse> HttpEndpoint::method_refusal(const HttpRequest& request) {
  if (request.method == "POST") return std::nullopt;
  HttpResponse refusal = text_response(405, "The MCP endpoint takes POST only.\n");
  refusal.headers.set("Allow", "POST");
  return refusal;
}

HttpResponse HttpEndpoint::refuse(const Failure& failure, std::optional<RequestId> id) const {
  if (const auto* scope = failure.as<services::InsufficientScope>()) {
    // A token that may not: the challenge says everything, the body nothing about the request (RFC 6750 section 3.1).
    HttpResponse response = json_response(403, R"({"error":"insufficient_scope"})");
    response.headers.set("WWW-Authenticate", services::challenge_of(failure, resource_metadata_url_, scope->required));
    return response;
  }
  Answer answer = refusal(failure, std::move(id));
  if (failure.as<NotAcceptable>() != nullptr) answer.http_status = 406;
  HttpResponse response = response_of(std::move(answer));
  if (const auto wait = retry_after_of(failure)) response.headers.set("Retry-After", std::to_string(wait->count()));
  return response;
}

// What headers a notification has is not defined. But one of a version that is not spoken says nothing here
// (basic/transports/streamable-http, "Protocol Version Header").
HttpResponse HttpEndpoint::notice(const HttpRequest& request) const {
  const auto version = request.headers.sole(kHeaderProtocolVersion);
  if (!version) return refuse(version.error(), std::nullopt);
  const auto catalog = server_.catalog();
  const std::vector<std::string>& spoken = catalog->supported_versions();
  if (*version != nullptr && std::find(spoken.begin(), spoken.end(), **version) == spoken.end())
    return refuse(UnsupportedVersion{**version, spoken}, std::nullopt);
  HttpResponse accepted;
  accepted.status = 202;
  return accepted;
}

HttpEndpoint::Taken HttpEndpoint::take(const HttpRequest& request,
                                       std::shared_ptr<const services::VerifiedAccessToken> token) const {
  const services::Principal& caller = token->principal();
  const auto counted = [&](const Failure& failure, std::optional<RequestId> id = std::nullopt) {
    const Status admitted = server_.admit(caller);
    return Taken{refuse(admitted ? failure : admitted.error(), std::move(id)), std::nullopt};
  };
  const auto content_type = request.headers.sole("Content-Type");
  if (!content_type || *content_type == nullptr || media_type(**content_type) != kJsonType) return counted(NotJson{});
  if (!accepts(request.headers, kJsonType) || !accepts(request.headers, kEventStreamType)) {
    return counted(NotAcceptable{});
  }
  const auto message = parse_message(request.body);
  if (!message) return counted(message.error(), request_id_of(message.error()));
  if (std::holds_alternative<JsonRpcNotification>(*message)) {
    const Status admitted = server_.admit(caller);
    return {admitted ? notice(request) : refuse(admitted.error(), std::nullopt), std::nullopt};
  }
  const auto* call = std::get_if<JsonRpcRequest>(&*message);
  if (call == nullptr) return counted(MalformedMessage{"a server takes requests and notifications only", std::nullopt});
  const ScopeSet& granted = token->scopes();
  const WallTime expires_at = token->expires_at();
  const RequestContext context{{std::move(token), &caller}, &granted, &request.headers, expires_at};
  auto accepted = accept_of_either_era(server_, older_era_, *call, context);
  if (accepted) return begin(*std::move(accepted));
  if (call->method != "tools/call") return counted(accepted.error(), call->id);
  static_cast<void>(server_.admit(caller));  // who calls tools is told of the limit in a result
  return {refuse(accepted.error(), call->id), std::nullopt};
}

HttpEndpoint::Taken HttpEndpoint::begin(Accepted accepted) const {
  if (auto* subscription = std::get_if<PreparedListen>(&accepted)) return {listen(std::move(*subscription)), {}};
  auto& prepared = std::get<PreparedRequest>(accepted);
  if (prepared.notifies()) return {stream_of(std::move(prepared)), {}};
  return {std::nullopt, std::move(prepared)};
}

HttpReply HttpEndpoint::listen(PreparedListen listen) const {
  const RequestId id = listen.id;
  auto [stream, writer] = EventStream::open();
  Subscriptions& subscriptions = server_.subscriptions();
  const auto opened = subscriptions.open(std::move(listen), std::make_shared<StreamSink>(writer));
  if (!opened) return refuse(opened.error(), id);
  writer.on_gone([&subscriptions, number = *opened] { subscriptions.close(number); });
  return std::move(stream);
}

HttpReply HttpEndpoint::handle(const HttpRequest& request,
                               std::shared_ptr<const services::VerifiedAccessToken> token) const {
  Taken taken = take(request, std::move(token));
  if (taken.reply) return *std::move(taken.reply);
  PreparedRequest& prepared = *taken.prepared;
  if (prepared.lane() != Lane::kBlocking) {
    if (auto answer = prepared.run({prepared.lane() == Lane::kLoop, {}, nullptr}))
      return response_of(*std::move(answer));
  }
  return Blocking{[prepared = std::move(prepared)](std::stop_token stop) -> HttpReply {
    return response_of(*prepared.run({true, stop, nullptr}));
  }};
}

HttpReply HttpEndpoint::handle_blocking(const HttpRequest& request,
                                        std::shared_ptr<const services::VerifiedAccessToken> token,
                                        std::stop_token stop) const {
  Taken taken = take(request, std::move(token));
  if (taken.reply) return *std::move(taken.reply);
  return response_of(*taken.prepared->run({true, stop, nullptr}));
}

}  // namespace postern::mcp
