#include "wire/transport/http_client.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "wire/base/mutex.h"
#include "wire/base/secret.h"
#include "wire/transport/bounded_stream.h"
#include "wire/transport/http_connection.h"
#include "wire/transport/request_writer.h"
#include "wire/transport/resolver.h"
#include "wire/transport/response_reader.h"

namespace postern {
namespace {

constexpr std::size_t kIdleMax = 8;  // of one origin
constexpr std::chrono::seconds kIdleAgeMax{5};

// How the response is wanted: in one piece, or as it comes.
struct Wanted {
  const std::function<bool(const HttpResponse&)>* on_head = nullptr;
  const std::function<bool(std::string_view)>* on_bytes = nullptr;
  [[nodiscard]] bool streamed() const { return on_bytes != nullptr; }
};

class SocketHttpClient final : public HttpClient {
 public:
  SocketHttpClient(Env env, HttpClientOptions options) : env_(env), options_(std::move(options)) {}

  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime deadline,
                            std::stop_token stop) override {
    return call(uri, request, Wanted{}, deadline, stop);
  }
  Result<HttpResponse> open(const Uri& uri, const HttpRequest& request,
                            const std::function<bool(const HttpResponse&)>& on_head,
                            const std::function<bool(std::string_view)>& on_bytes, SteadyTime deadline,
                            std::stop_token stop) override {
    return call(uri, request, Wanted{&on_head, &on_bytes}, deadline, stop);
  }

 private:
  // One request on its way, and what came of it.
  struct Exchange {
    const Uri& uri;
    const HttpRequest& request;
    std::string_view bytes;
    Wanted wanted;
    std::stop_token stop;
    std::uint64_t number;
    std::string raw;  // what was read, of a response in one piece
    std::optional<Result<HttpResponse>> outcome;
    bool nothing_came = false;
  };

  Result<HttpResponse> call(const Uri& uri, const HttpRequest& request, Wanted wanted, SteadyTime deadline,
                            const std::stop_token& stop) {
    POSTERN_TRY(std::string bytes, write_request(uri, request, options_.keep_alive));
    auto result = call_with(uri, request, bytes, wanted, deadline, stop);
    wipe(bytes);  // it holds the credential
    return result;
  }

  Result<HttpResponse> call_with(const Uri& uri, const HttpRequest& request, std::string_view bytes, Wanted wanted,
                                 SteadyTime deadline, const std::stop_token& stop) {
    if (stop.stop_requested()) return Cancelled{};
    if (std::unique_ptr<HttpConnection> kept = take_idle(uri.origin())) {
      Exchange exchange{uri, request, bytes, wanted, stop, next_exchange(), {}, {}, false};
      POSTERN_TRY_VOID(run(std::move(kept), exchange, {}, deadline));
      // A peer may close a kept connection just when a request is on its way. Only a request that changes nothing is
      // sent again.
      const bool again =
          exchange.nothing_came && failed_with(*exchange.outcome, PeerClosed::kId) && request.method == "GET";
      if (!again) return *std::move(exchange.outcome);
    }
    POSTERN_TRY(const std::vector<std::string> addresses, addresses_of(uri, deadline, stop));
    Exchange exchange{uri, request, bytes, wanted, stop, next_exchange(), {}, {}, false};
    POSTERN_TRY_VOID(run(make_http_connection(uri, options_.ca_file, env_.clock), exchange, addresses, deadline));
    return *std::move(exchange.outcome);
  }

  Result<std::vector<std::string>> addresses_of(const Uri& uri, SteadyTime deadline,
                                                const std::stop_token& stop) const {
    POSTERN_TRY(std::vector<std::string> addresses, resolve(uri.host, uri.origin(), env_.clock, deadline, stop));
    if (!options_.admits_address) return addresses;
    for (const std::string& address : addresses) {
      if (!options_.admits_address(address))
        return Unreachable{uri.origin(), "its address " + address + " is not allowed"};
    }
    return addresses;
  }

  Status run(std::unique_ptr<HttpConnection> connection, Exchange& exchange, std::vector<std::string> addresses,
             SteadyTime deadline) {
    ConnectionJob job;
    job.addresses = std::move(addresses);
    job.deadline = deadline;
    job.connect_ms_max = options_.connect_ms_max;
    job.stop = exchange.stop;
    bool reusable = false;
    job.exchange = [&](BoundedStream& stream) {
      reusable = talk(stream, exchange);
      return reusable;
    };
    POSTERN_TRY_VOID(connection->run(job));
    if (reusable) keep(exchange.uri.origin(), std::move(connection));
    return {};
  }

  // Writes the request and reads the response. True when the connection can serve another one.
  bool talk(BoundedStream& stream, Exchange& exchange) {
    see(Direction::kOut, exchange, exchange.bytes, true);
    const std::string where = exchange.uri.origin();
    // A server may answer and close before it has read everything (413): its answer counts, so a failed write is not
    // the end.
    const bool written = stream.write_all(exchange.bytes);
    ResponseReader reader(
        [&](char* to, std::size_t size) {
          const ssize_t got = stream.read(to, size);
          if (got > 0) received(exchange, std::string_view(to, static_cast<std::size_t>(got)));
          return got;
        },
        {options_.header_bytes_max, options_.header_lines_max, options_.response_bytes_max}, where,
        exchange.request.method != "HEAD");
    Result<HttpResponse> outcome = stream.timed_out() ? Result<HttpResponse>(TimedOut{where}) : read(reader, exchange);
    if (!outcome) {
      exchange.nothing_came = !reader.got_bytes();
      if (stream.timed_out()) outcome = TimedOut{where};
      if (exchange.stop.stop_requested()) outcome = Cancelled{};
    }
    if (exchange.wanted.streamed() || !exchange.raw.empty()) see(Direction::kIn, exchange, exchange.raw, true);
    wipe(exchange.raw);
    const bool reusable = written && outcome.has_value() && reader.reusable() && options_.keep_alive;
    exchange.outcome = std::move(outcome);
    return reusable;
  }

  static Result<HttpResponse> read(ResponseReader& reader, Exchange& exchange) {
    POSTERN_TRY(HttpResponse response, reader.read_head());
    if (exchange.wanted.on_head != nullptr && !(*exchange.wanted.on_head)(response)) return response;
    for (;;) {
      POSTERN_TRY(const std::string_view piece, reader.read_body());
      if (piece.empty()) return response;
      if (!exchange.wanted.streamed()) {
        response.body += piece;
      } else if (!(*exchange.wanted.on_bytes)(piece)) {
        return response;
      }
    }
  }

  void received(Exchange& exchange, std::string_view bytes) {
    if (exchange.wanted.streamed()) {
      see(Direction::kIn, exchange, bytes, false);
    } else {
      exchange.raw += bytes;
    }
  }

  void see(Direction direction, const Exchange& exchange, std::string_view bytes, bool last) {
    env_.tap.see(
        TapRecord{Channel::kHttp, direction, options_.tap_self, options_.tap_peer, exchange.number, bytes, last});
  }

  std::unique_ptr<HttpConnection> take_idle(const std::string& origin) {
    const MutexLock lock(mutex_);
    auto& idle = idle_[origin];
    while (!idle.empty()) {
      std::unique_ptr<HttpConnection> connection = std::move(idle.back());
      idle.pop_back();
      if (env_.clock.steady_now() - connection->last_used <= kIdleAgeMax && connection->is_fresh()) return connection;
    }
    return nullptr;
  }

  void keep(const std::string& origin, std::unique_ptr<HttpConnection> connection) {
    connection->last_used = env_.clock.steady_now();
    const MutexLock lock(mutex_);
    auto& idle = idle_[origin];
    if (idle.size() >= kIdleMax) idle.erase(idle.begin());
    idle.push_back(std::move(connection));
  }

  Env env_;
  HttpClientOptions options_;
  Mutex mutex_;
  std::map<std::string, std::vector<std::unique_ptr<HttpConnection>>> idle_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<HttpClient> make_http_client(Env env, HttpClientOptions options) {
  return std::make_unique<SocketHttpClient>(env, std::move(options));
}

}  // namespace postern
