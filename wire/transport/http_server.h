// The HTTP server that everything here listens with: frame first, library second.
//
// A small loop of its own accepts connections and reads until one complete request is in memory, checked byte for byte
// (wire/transport/request_framer.h). Only then is the library handed a head that this server wrote, and asked for
// nothing but dispatch; the handler reads the framer's raw headers and body. So the library never waits on the network,
// never sees a second message, never decodes a header and never compresses a reply. HEAD is answered by the handler of
// GET, without the body.
//
// A handler answers in one of three ways:
//   HttpResponse  the whole reply, written in one write(2)
//   EventStream   a text/event-stream that the loop keeps: it costs no thread; written through its EventStreamWriter.
//                 With `work` in it, what writes it runs in the lane below while the stream is open: a request that
//                 tells of its progress before it is answered
//   Blocking      work that may wait for another process: it runs in a bounded lane of its own, 503 when that is full,
//                 so that it never takes a thread that requests need; its result is an HttpResponse or EventStream
//
// A peer that closes its sending side while its reply is still being worked for, or while it reads a stream, counts as
// gone.
//
// Threads: handlers run on the loop's threads or on the lane's, several at a time. A handler must not block unless it
// runs in the lane.
// Failures: what a peer sends wrong is refused with a 4xx or 5xx and the connection closed; an
// exception in a handler is a 500 without its text; so is a header that cannot be sent as it is. Whoever wants more
// than there is gets a 503 (the server has no more) or a 429 (this peer has its share) with Retry-After, at once:
// nobody waits for room. Bounds are in HttpLimits; their times are of the machine's own clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "wire/base/result.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"
#include "wire/transport/listening_socket.h"
#include "wire/transport/trusted_proxies.h"

namespace postern {

struct HttpLimits {
  std::size_t head_bytes_max = 16 * 1024;
  std::size_t header_lines_max = 64;
  std::size_t body_bytes_max = 1024 * 1024;
  // Of this listener. start() lowers it to what the limit of open files admits, and logs that.
  std::size_t connections_max = 4096;
  // Of one peer that connects by itself. Loopback addresses and trusted proxies are not counted: there it would bound
  // everybody together.
  std::size_t connections_per_peer_max = 256;
  // Of one peer that asks through a trusted proxy: requests in flight, and open event streams.
  std::size_t requests_per_peer_max = 128;
  std::size_t streams_per_peer_max = 64;
  // Of all listeners together, in requests that are not complete, or whose work waits in the lane or runs. Each
  // connection has a small part of it for itself (at most head_bytes_max), so that small requests are served whatever
  // others hold.
  std::size_t buffered_bytes_max = 256 * 1024 * 1024;
  std::size_t stream_buffer_bytes_max = 256 * 1024;  // of a slow reader of an EventStream, then it is cut
  std::chrono::milliseconds request_ms_max{10'000};  // from the first byte to the last
  std::chrono::milliseconds idle_ms_max{30'000};     // between two requests of a connection
  std::chrono::milliseconds send_ms_max{10'000};
  // A stream that was quiet for so long carries a comment line, so that proxies keep it, and so that a reader that has
  // vanished without a word is found (basic/transports/streamable-http, receiving messages).
  std::chrono::milliseconds stream_comment_ms{15'000};
  int loop_threads = 2;
  int blocking_threads = 8;
  std::size_t blocking_queue_max = 64;
};

// The writing end of an EventStream. Thread-safe, copyable; outlives the connection without harm.
class EventStreamWriter {
 public:
  // One event whose data is `data` (no line feed in it: JSON text has none). False when the reader is gone or over its
  // bound.
  bool event(std::string_view data) const;
  // A comment line, which keeps a quiet stream open.
  bool comment(std::string_view text) const;
  // Sends what is buffered, then ends the stream and the connection.
  void finish() const;
  // Runs `gone` once when the connection has ended, after finish() too; at once when it already has. It runs on the
  // loop's thread without a lock, and must not block.
  void on_gone(std::function<void()> gone) const;

  struct State;  // of the server
  explicit EventStreamWriter(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

//   auto [stream, writer] = EventStream::open();
//   stream.work = [writer = writer, call = std::move(call)](const std::stop_token& stop) {
//     const std::string last = call.run(stop, [&](std::string_view progress) { writer.event(progress); });
//     writer.event(last);
//   };
//   return stream;
class EventStream {
 public:
  // The stream to return from the handler, and the writer to keep. Events written before the reply went out are kept.
  [[nodiscard]] static std::pair<EventStream, EventStreamWriter> open(HeaderList headers = {});

  HeaderList headers;  // beside Content-Type: text/event-stream, Cache-Control: no-store and X-Accel-Buffering: no
  std::shared_ptr<EventStreamWriter::State> state;
  // Optional. Runs on a thread of the lane once the stream has begun; the head stands before whatever it writes. When
  // the lane is full, the reply is a 503 with Retry-After and no stream is opened (its writer is gone at once). Writers
  // may be used from the work and from other threads, during it. When it returns, the stream ends as by finish(); when
  // it throws, the connection is cut, so that its reader does not take what came for the whole.
  // The token fires when nobody reads any more: the reader is gone or over its bound, somebody else has called
  // finish(), or the server stops (at the deadline of a drain: work in flight may finish until then). Not run for HEAD,
  // and not when the reader has gone before its turn. What it needs of the request it must have copied.
  std::function<void(std::stop_token)> work{};
};

struct Blocking;
using HttpReply = std::variant<HttpResponse, EventStream, Blocking>;
struct Blocking {
  // Runs on a thread of the lane. The token fires when the client hung up or the server stops.
  std::function<HttpReply(std::stop_token)> work;
};

using HttpHandler = std::function<HttpReply(const HttpRequest&)>;

// An exact-match table of method and path; a path that ends in "*" matches every longer one. The longest match wins.
// Unknown path: the fallback, by default 404; known path with another method: 405 with Allow. Stands apart from the
// loop, so that tests and replay call handle() without a socket.
class Routes {
 public:
  Routes& add(std::string method, std::string path, HttpHandler handler);
  // Every method of that path goes to the handler (it answers 405 itself).
  Routes& add_any(std::string path, HttpHandler handler);
  // Runs before every handler; a response ends the request (Host and Origin checks stand here).
  Routes& before(std::function<std::optional<HttpResponse>(const HttpRequest&)> check);
  // Runs on every response of these routes, refusals too (security headers of the page). The request it sees has only
  // method and path when the response comes from the lane, and is empty when the request could not be read.
  Routes& after(std::function<void(const HttpRequest&, HttpResponse&)> change);
  Routes& fallback(HttpHandler handler);
  // Work in a Blocking reply may call back into these routes: they must outlive it.
  [[nodiscard]] HttpReply handle(const HttpRequest& request) const;
  // Runs the after-changes on a response that was made below the routes: a request that could not be read (`request` is
  // empty then).
  void finish(const HttpRequest& request, HttpResponse& response) const;

 private:
  HttpReply answer(const HttpRequest& request) const;
  void finish_reply(const HttpRequest& request, HttpReply& reply) const;

  struct Route {
    std::string method;  // empty: any
    std::string path;
    HttpHandler handler;
  };
  std::vector<Route> routes_;
  std::vector<std::function<std::optional<HttpResponse>(const HttpRequest&)>> before_;
  std::vector<std::function<void(const HttpRequest&, HttpResponse&)>> after_;
  HttpHandler fallback_;
};

// One socket, what is served on it, and its bounds.
struct HttpListener {
  ListeningSocket socket;
  Routes routes;
  HttpLimits limits;         // loop_threads, blocking_* and buffered_bytes_max are read from the first listener
  std::string tap_self;      // the name of this process in the tap's records
  TrustedProxies proxies{};  // whose X-Forwarded-For is believed; by default nobody's
};

class HttpServer {
 public:
  HttpServer(std::vector<HttpListener> listeners, Env env);
  ~HttpServer();  // drains for at most a second
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  void start();
  // Runs once when a drain of a started server begins, before any stream is ended and before connections are refused:
  // the place to write last words into open streams. A stream without work that a handler opens after that is answered
  // 503, so no stream ends without them. On the thread that drains (which may be the destructor's: what it uses must
  // outlive that); it must not block. Before drain(), and not
  // beside it.
  void on_drain(std::function<void()> last_words);
  // Stops accepting, lets what is in flight finish until the deadline, ends streams, joins the threads. At the deadline
  // the lane's work is told to stop, and is waited for. Safe to call twice; never from a handler.
  void drain(std::chrono::milliseconds deadline);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace postern
