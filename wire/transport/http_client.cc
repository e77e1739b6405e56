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

// How the response is wanted: in one piece, or as it comes; and at whose word.
struct Wanted {
  const std::function<bool(const HttpResponse&)>* on_head = nullptr;
  const std::function<bool(std::string_view)>* on_bytes = nullptr;
  const SendGuard* guard = nullptr;
  const std::function<SteadyTime()>* deadline = nullptr;  // that moves; null: it does not
  [[nodiscard]] bool streamed() const { return on_bytes != nullptr; }
};

class SocketHttpClient final : public HttpClient {
 public:
  SocketHttpClient(Env env, HttpClientOptions options) : env_(env), options_(std::move(options)) {}

  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime deadline,
                            std::stop_token stop) override {
    return call(uri, request, Wanted{}, deadline, stop);
  }
  Result<HttpResponse> send_guarded(const Uri& uri, const HttpRequest& request, const SendGuard& guard,
                                    SteadyTime deadline, std::stop_token stop) override {
    return call(uri, request, Wanted{nullptr, nullptr, &guard, nullptr}, deadline, stop);
  }
  Result<HttpResponse> open(const Uri& uri, const HttpRequest& request,
                            const std::function<bool(const HttpResponse&)>& on_head,
                            const std::function<bool(std::string_view)>& on_bytes, SteadyTime deadline,
                            std::stop_token stop) override {
    return call(uri, request, Wanted{&on_head, &on_bytes, nullptr, nullptr}, deadline, stop);
  }
  Result<HttpResponse> open_until(const Uri& uri, const HttpRequest& request,
                                  const std::function<bool(const HttpResponse&)>& on_head,
                                  const std::function<bool(std::string_view)>& on_bytes,
                                  const std::function<SteadyTime()>& deadline, std::stop_token stop) override {
    return call(uri, request, Wanted{&on_head, &on_bytes, nullptr, &deadline}, deadline(), stop);
  }

 private:
  // One request on its way, and what came of it.
  struct Exchange {
    const Uri& uri;
    const HttpRequest& request;
    std::string_view bytes;     // as a server reads them, and as the tap sees them
    std::string_view to_proxy;  // in their place, when a proxy reads them; empty: none does
    Wanted wanted;
    std::stop_token stop;
    std::uint64_t number;
    std::string raw;  // what was read and the tap has not seen
    bool tap_sees_pieces = false;
    std::optional<Result<HttpResponse>> outcome;
    bool nothing_came = false;
  };

  Result<HttpResponse> call(const Uri& uri, const HttpRequest& request, Wanted wanted, SteadyTime deadline,
                            const std::stop_token& stop) {
    POSTERN_TRY(std::string bytes, write_request(uri, request, options_.keep_alive));
    const Proxy* const proxy = options_.proxy == nullptr ? nullptr : options_.proxy->proxy_for(uri);
    std::string to_proxy = proxy != nullptr && uri.scheme != "https" ? for_proxy(bytes, uri, *proxy) : std::string();
    auto result =
        call_with(Exchange{uri, request, bytes, to_proxy, wanted, stop, 0, {}, false, {}, false}, proxy, deadline);
    wipe(bytes);  // it holds the credential
    wipe(to_proxy);
    return result;
  }

  // The absolute form of the target (RFC 9112 section 3.2.2), and what the proxy wants for itself.
  static std::string for_proxy(const std::string& bytes, const Uri& uri, const Proxy& proxy) {
    const std::size_t target = bytes.find(' ') + 1;
    const std::size_t fields = bytes.find("\r\n") + 2;
    std::string line = proxy.authorization_line();
    std::string out;
    out.reserve(bytes.size() + uri.origin().size() + line.size());
    out.append(bytes, 0, target).append(uri.origin()).append(bytes, target, fields - target);
    out.append(line).append(bytes, fields);
    wipe(line);
    return out;
  }

  Result<HttpResponse> call_with(Exchange exchange, const Proxy* proxy, SteadyTime deadline) {
    if (exchange.stop.stop_requested()) return Cancelled{};
    if (std::unique_ptr<HttpConnection> kept = take_idle(exchange)) {
      exchange.number = next_exchange();
      POSTERN_TRY_VOID(run(std::move(kept), exchange, {}, deadline));
      // A peer may close a kept connection just when a request is on its way. Only a request that changes nothing is
      // sent again.
      const bool again =
          exchange.nothing_came && failed_with(*exchange.outcome, PeerClosed::kId) && exchange.request.method == "GET";
      if (!again) return *std::move(exchange.outcome);
      exchange.outcome.reset();
      exchange.nothing_came = false;
    }
    exchange.number = next_exchange();
    POSTERN_TRY(const std::vector<std::string> addresses, addresses_of(exchange, proxy, deadline));
    POSTERN_TRY_VOID(
        run(make_http_connection(exchange.uri, proxy, options_.ca_file, env_.clock), exchange, addresses, deadline));
    return *std::move(exchange.outcome);
  }

  Result<std::vector<std::string>> look_up(const std::string& host, const std::string& where, SteadyTime deadline,
                                           const std::stop_token& stop) const {
    if (options_.resolve) return options_.resolve(host);
    return resolve(host, where, env_.clock, deadline, stop);
  }

  // Where to connect to: the server's own addresses, or those of the proxy before it.
  Result<std::vector<std::string>> addresses_of(const Exchange& exchange, const Proxy* proxy,
                                                SteadyTime deadline) const {
    const Uri& uri = exchange.uri;
    if (proxy != nullptr) {
      if (!may_be_resolved_elsewhere(exchange)) return AddressRefused{uri.origin(), ""};
      auto addresses = look_up(proxy->host, proxy->where(), deadline, exchange.stop);
      if (const auto* failure = addresses ? nullptr : addresses.error().as<Unreachable>())
        return ProxyFailed{proxy->where(), uri.origin(), failure->reason};
      return addresses;
    }
    POSTERN_TRY(std::vector<std::string> addresses, look_up(uri.host, uri.origin(), deadline, exchange.stop));
    for (const std::string& address : addresses) {
      if (!is_admitted(exchange, address)) return AddressRefused{uri.origin(), address};
    }
    return addresses;
  }

  static bool is_admitted(const Exchange& exchange, const std::string& address) {
    const SendGuard* const guard = exchange.wanted.guard;
    return guard == nullptr || !guard->admits_address || guard->admits_address(exchange.uri.host, address);
  }

  bool may_be_resolved_elsewhere(const Exchange& exchange) const {
    const SendGuard* const guard = exchange.wanted.guard;
    if (guard == nullptr || !guard->admits_address || options_.proxy->checks_addresses) return true;
    return guard->admits_unresolved && guard->admits_unresolved(exchange.uri.host);
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
    const bool written = stream.write_all(exchange.to_proxy.empty() ? exchange.bytes : exchange.to_proxy);
    ResponseReader reader(
        [&](char* to, std::size_t size) {
          const ssize_t got = stream.read(to, size);
          if (got > 0) received(exchange, std::string_view(to, static_cast<std::size_t>(got)));
          return got;
        },
        {options_.header_bytes_max, options_.header_lines_max, body_bytes_max(exchange)}, where,
        exchange.request.method != "HEAD");
    Result<HttpResponse> outcome =
        stream.timed_out() ? Result<HttpResponse>(TimedOut{where}) : read(reader, stream, exchange);
    if (!outcome) {
      exchange.nothing_came = !reader.got_bytes();
      if (stream.timed_out()) outcome = TimedOut{where};
      if (exchange.stop.stop_requested()) outcome = Cancelled{};
    }
    if (exchange.tap_sees_pieces || !exchange.raw.empty()) see(Direction::kIn, exchange, exchange.raw, true);
    wipe(exchange.raw);
    const bool reusable = written && outcome.has_value() && reader.reusable() && options_.keep_alive;
    exchange.outcome = std::move(outcome);
    return reusable;
  }

  [[nodiscard]] std::size_t body_bytes_max(const Exchange& exchange) const {
    const SendGuard* const guard = exchange.wanted.guard;
    if (guard == nullptr || guard->response_bytes_max == 0) return options_.response_bytes_max;
    return std::min(guard->response_bytes_max, options_.response_bytes_max);
  }

  // A log cannot tell what is secret in half a JSON text, so that is shown to the tap whole, also when it is read as it
  // comes.
  void show_what_came(const HttpResponse& head, Exchange& exchange) {
    const std::string* type = head.headers.find("Content-Type");
    if (!exchange.wanted.streamed() || (type != nullptr && media_type(*type) == "application/json")) return;
    see(Direction::kIn, exchange, exchange.raw, false);
    wipe(exchange.raw);
    exchange.tap_sees_pieces = true;
  }

  Result<HttpResponse> read(ResponseReader& reader, BoundedStream& stream, Exchange& exchange) {
    POSTERN_TRY(HttpResponse response, reader.read_head());
    show_what_came(response, exchange);
    if (exchange.wanted.on_head != nullptr && !(*exchange.wanted.on_head)(response)) return response;
    for (;;) {
      if (exchange.wanted.deadline != nullptr) stream.move_deadline((*exchange.wanted.deadline)());
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
    if (exchange.tap_sees_pieces) {
      see(Direction::kIn, exchange, bytes, false);
    } else {
      exchange.raw += bytes;
    }
  }

  void see(Direction direction, const Exchange& exchange, std::string_view bytes, bool last) {
    env_.tap.see(
        TapRecord{Channel::kHttp, direction, options_.tap_self, options_.tap_peer, exchange.number, bytes, last});
  }

  // A connection that was made for another request leads only where this one may go, too.
  std::unique_ptr<HttpConnection> take_idle(const Exchange& exchange) {
    const MutexLock lock(mutex_);
    auto& idle = idle_[exchange.uri.origin()];
    while (!idle.empty()) {
      std::unique_ptr<HttpConnection> connection = std::move(idle.back());
      idle.pop_back();
      const bool allowed = connection->address.empty() ? may_be_resolved_elsewhere(exchange)
                                                       : is_admitted(exchange, connection->address);
      if (allowed && env_.clock.steady_now() - connection->last_used <= kIdleAgeMax && connection->is_fresh())
        return connection;
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
