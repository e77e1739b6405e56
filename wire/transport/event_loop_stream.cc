#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "wire/base/check.h"
#include "wire/base/log.h"
#include "wire/transport/busy_response.h"
#include "wire/transport/event_loop.h"

namespace postern {
namespace {

// So long may the reader's machine leave bytes unacknowledged: then it has vanished. Comments see to it that there are
// bytes.
constexpr unsigned kUnacknowledgedMs = 60'000;
constexpr int kStreamSocketBuffer = 64 * 1024;  // the kernel would buffer megabytes for a reader that does not read

void append_chunk(std::string& out, std::string_view bytes) {
  std::array<char, 16> size{};
  const auto end = std::to_chars(size.data(), size.data() + size.size(), bytes.size(), 16).ptr;
  out.append(size.data(), end).append("\r\n").append(bytes).append("\r\n");
}

}  // namespace

// Puts the head into `out`, and what the stream's work writes behind it. A refusal when there is no place for the
// stream: then nothing has begun.
std::optional<HttpResponse> EventLoop::open_stream(Connection& connection, EventStream stream) {
  POSTERN_CHECK(stream.state != nullptr);  // EventStream::open() makes them
  const bool with_work = stream.work != nullptr && !connection.head_only;
  const auto refused = [&](int status, std::string_view text) {
    stream.state->end();
    return busy_response(status, text);
  };
  if (core_.closing && !with_work && !connection.head_only && !stream.state->finished()) {
    return refused(503, "This server is stopping. Nothing was done. Try again in a second.\n");
  }
  if (connection.proxied) {
    connection.exchange_place = core_.ledger.take_shared(PeerLedger::Kind::kStream, connection.asking,
                                                         connection.listener.limits.streams_per_peer_max);
    if (!connection.exchange_place) return refused(429, "You have too many streams open. Nothing was done.\n");
  }
  if (with_work && !start_work(connection, stream)) {
    connection.exchange_place.reset();
    return refused(503, kLaneFull);
  }
  connection.queued.reset();
  dispatcher_.format_stream_head(stream, connection.out);
  connection.stream = stream.state;
  connection.stage = ConnectionStage::kStreaming;
  setsockopt(connection.descriptor, SOL_SOCKET, SO_SNDBUF, &kStreamSocketBuffer, sizeof kStreamSocketBuffer);
  setsockopt(connection.descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUnacknowledgedMs, sizeof kUnacknowledgedMs);
  stream.state->attach(mailbox_, connection.id, connection.listener.limits.stream_buffer_bytes_max);
  if (connection.head_only) {
    connection.stream_finished = true;
  } else if (draining_ && !with_work) {
    stream.state->finish();
  }
  see(connection, Direction::kOut, connection.out, connection.stream_finished);
  return std::nullopt;
}

bool EventLoop::start_work(Connection& connection, EventStream& stream) {
  std::stop_source work;
  BlockingLane::Job job;
  job.stop = work.get_token();
  job.memory = connection.queued;
  job.place = connection.proxied ? connection.exchange_place : connection.place;
  job.work = [run = std::move(stream.work), state = stream.state](const std::stop_token& stop) -> HttpReply {
    try {
      run(stop);
      state->finish();
    } catch (...) {
      // The text may hold anything (a path, SQL, a token): it goes nowhere.
      log_error("the work of an event stream threw; its connection is cut");
      state->cut();
    }
    return HttpResponse{};
  };
  job.done = [](const HttpReply&) {};
  if (!core_.lane.submit(std::move(job))) return false;
  connection.work = std::move(work);
  return true;
}

// The connection has nothing more to do with its stream.
void EventLoop::end_stream(Connection& connection) {
  const auto stream = std::exchange(connection.stream, nullptr);
  const std::stop_source work = std::exchange(connection.work, std::stop_source(std::nostopstate));
  stream->end();
  work.request_stop();
}

void EventLoop::on_changed_stream(std::uint64_t id) {
  Connection* connection = find(id);
  if (connection != nullptr && connection->stage == ConnectionStage::kStreaming) continue_stream(*connection);
}

void EventLoop::continue_stream(Connection& connection) {
  // Asked first: the one that is over its bound is the one that nothing more can be sent to.
  if (connection.stream->is_cut()) return drop(connection);
  for (;;) {
    switch (send_out(connection)) {
      case Sent::kFailed:
        return drop(connection);
      case Sent::kSome:
        return watch_for(connection, EPOLLRDHUP | EPOLLOUT);
      case Sent::kAll:
        break;
    }
    connection.stream->sent();
    if (connection.stream_finished) return linger(connection);
    take_from_stream(connection);
    if (connection.out.empty()) break;
  }
  // A quiet stream may stay as long as it likes: this is not its end, but the next word.
  connection.deadline = now_ + connection.listener.limits.stream_comment_ms;
  watch_for(connection, EPOLLRDHUP);
}

// A comment line means nothing to the reader (HTML section 9.2.6, and basic/transports/streamable-http asks for it).
void EventLoop::break_silence(Connection& connection) {
  append_chunk(connection.out, ":\n\n");
  see(connection, Direction::kOut, connection.out, false);
  continue_stream(connection);
}

// Moves what was written into `out`, as one chunk.
void EventLoop::take_from_stream(Connection& connection) {
  const EventStreamWriter::State::Taken taken = connection.stream->take();
  if (!taken.bytes.empty()) append_chunk(connection.out, taken.bytes);
  if (taken.finished) {
    append_chunk(connection.out, "");  // RFC 9112 section 7.1: the last chunk and the empty trailer section
    connection.stream_finished = true;
  }
  if (!connection.out.empty()) see(connection, Direction::kOut, connection.out, taken.finished);
}

}  // namespace postern
