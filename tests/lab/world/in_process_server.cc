#include "tests/lab/world/in_process_server.h"

#include <array>
#include <charconv>
#include <optional>
#include <utility>
#include <variant>

#include "wire/base/log.h"
#include "wire/transport/event_stream.h"
#include "wire/transport/request_framer.h"

namespace postern::lab {
namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
// Nobody reads while a stream is written here, so its bound is that of a whole answer.
constexpr std::size_t kStreamBytesMax = 64U * 1024 * 1024;

// RFC 9112 section 9.6. Our clients write one option.
bool asks_to_close(const HttpRequest& request) {
  const std::string* option = request.headers.find("Connection");
  return option != nullptr && equal_ignoring_case(*option, "close");
}

void append_chunk(std::string& out, std::string_view bytes) {
  std::array<char, 16> size{};
  const auto end = std::to_chars(size.data(), size.data() + size.size(), bytes.size(), 16).ptr;
  out.append(size.data(), end).append("\r\n").append(bytes).append("\r\n");
}

HttpReply work_of(Blocking blocking, const std::stop_token& stop) {
  try {
    HttpReply reply = blocking.work(stop);
    while (auto* more = std::get_if<Blocking>(&reply)) {
      const std::function<HttpReply(std::stop_token)> work = std::move(more->work);
      reply = work(stop);
    }
    return reply;
  } catch (...) {
    log_error("a handler threw; answered 500");
    return HttpResponse{500, {}, ""};
  }
}

}  // namespace

InProcessServer::InProcessServer(const Clock& clock, Routes routes, HttpLimits limits)
    : clock_(clock), routes_(std::move(routes)), limits_(limits), dispatcher_(clock) {}

std::string InProcessServer::answer(std::string_view bytes, const std::stop_token& stop) {
  RequestFramer framer({limits_.head_bytes_max, limits_.header_lines_max, limits_.body_bytes_max});
  framer.append(bytes);
  std::string out;
  for (;;) {
    switch (framer.advance()) {
      case RequestFramer::Progress::kNeedMore:
        if (!framer.take_wish_to_continue()) return out;  // the rest never comes
        out += kContinue;
        break;
      case RequestFramer::Progress::kRefused: {
        HttpResponse response = text_response(framer.refusal().status, std::string(framer.refusal().text) + "\n");
        routes_.finish(HttpRequest{}, response);
        write_reply(std::move(response), false, true, stop, out);
        return out;
      }
      case RequestFramer::Progress::kComplete:
        if (!serve(framer.request(), stop, out)) return out;
        framer.next();
    }
  }
}

bool InProcessServer::serve(HttpRequest& request, const std::stop_token& stop, std::string& out) {
  request.peer_address = "127.0.0.1";
  const bool head_only = request.method == "HEAD";
  bool close = asks_to_close(request);
  // A handler that asks this server again, by way of another one, finds the dispatcher at work.
  std::optional<LibraryDispatcher> second;
  LibraryDispatcher& dispatcher = busy_ ? second.emplace(clock_) : dispatcher_;
  const bool outermost = !std::exchange(busy_, true);
  std::optional<HttpReply> reply = dispatcher.dispatch(routes_, request, close, out);
  if (outermost) busy_ = false;
  if (!reply) return !close;
  if (auto* blocking = std::get_if<Blocking>(&*reply)) reply = work_of(std::move(*blocking), stop);
  return write_reply(*std::move(reply), head_only, close, stop, out);
}

bool InProcessServer::write_reply(HttpReply reply, bool head_only, bool close, const std::stop_token& stop,
                                  std::string& out) {
  if (auto* stream = std::get_if<EventStream>(&reply)) {
    write_stream(std::move(*stream), head_only, stop, out);
    return false;
  }
  LibraryDispatcher(clock_).format(std::get<HttpResponse>(std::move(reply)), head_only, close, out);
  return !close;
}

void InProcessServer::write_stream(EventStream stream, bool head_only, const std::stop_token& stop, std::string& out) {
  LibraryDispatcher(clock_).format_stream_head(stream, out);
  stream.state->attach(nullptr, 0, kStreamBytesMax);
  if (stream.work && !head_only) {
    try {
      stream.work(stop);
      stream.state->finish();
    } catch (...) {
      log_error("the work of an event stream threw; its connection is cut");
      stream.state->cut();
    }
  }
  const bool is_cut = stream.state->is_cut();
  const EventStreamWriter::State::Taken taken = stream.state->take();
  if (!taken.bytes.empty()) append_chunk(out, taken.bytes);
  if ((taken.finished || head_only) && !is_cut) append_chunk(out, "");
  stream.state->end();
}

}  // namespace postern::lab
