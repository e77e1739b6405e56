#include "tests/lab/world/in_process_network.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "wire/base/secret.h"
#include "wire/transport/request_writer.h"
#include "wire/transport/response_reader.h"

namespace postern::lab {

// As SocketHttpClient (wire/transport/http_client.cc), with a connection that was there at once and gave everything at
// once.
class InProcessHttpClient final : public HttpClient {
 public:
  InProcessHttpClient(InProcessNetwork& network, Env env, HttpClientOptions options)
      : network_(network), env_(env), options_(std::move(options)) {}

  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime deadline,
                            std::stop_token stop) override {
    return call(uri, request, Wanted{}, deadline, stop);
  }
  Result<HttpResponse> send_guarded(const Uri& uri, const HttpRequest& request, const SendGuard& guard,
                                    SteadyTime deadline, std::stop_token stop) override {
    return call(uri, request, Wanted{nullptr, nullptr, &guard}, deadline, stop);
  }
  Result<HttpResponse> open(const Uri& uri, const HttpRequest& request,
                            const std::function<bool(const HttpResponse&)>& on_head,
                            const std::function<bool(std::string_view)>& on_bytes, SteadyTime deadline,
                            std::stop_token stop) override {
    return call(uri, request, Wanted{&on_head, &on_bytes, nullptr}, deadline, stop);
  }

 private:
  struct Wanted {
    const std::function<bool(const HttpResponse&)>* on_head = nullptr;
    const std::function<bool(std::string_view)>* on_bytes = nullptr;
    const SendGuard* guard = nullptr;
  };
  struct Exchange {
    const HttpRequest& request;
    Wanted wanted;
    std::uint64_t number;
    std::string raw{};  // what was read and the tap has not seen
    bool tap_sees_pieces = false;
  };

  Result<HttpResponse> call(const Uri& uri, const HttpRequest& request, Wanted wanted, SteadyTime deadline,
                            const std::stop_token& stop) {
    POSTERN_TRY(std::string bytes, write_request(uri, request, options_.keep_alive));
    if (stop.stop_requested()) return Cancelled{};
    const std::string where = uri.origin();
    if (env_.clock.steady_now() >= deadline) return TimedOut{where};
    const SendGuard* const guard = wanted.guard;
    // Names of this world are addresses: what a name would lead to is not asked.
    if (guard != nullptr && guard->admits_address && !guard->admits_address(uri.host, uri.host))
      return AddressRefused{where, uri.host};
    Exchange exchange{request, wanted, next_exchange()};
    const auto server = network_.servers_.find(where);
    if (server == network_.servers_.end()) network_.strangers_.push_back(uri.text());
    if (server == network_.servers_.end() || server->second == nullptr) return Unreachable{where, "connection refused"};
    see(Direction::kOut, exchange, bytes, true);
    Result<std::string> answer = network_.exchange(where, bytes, stop);
    wipe(bytes);
    if (!answer) return answer.error();
    Result<HttpResponse> outcome = read(*answer, where, exchange);
    if (!outcome && stop.stop_requested()) outcome = Cancelled{};
    if (exchange.tap_sees_pieces || !exchange.raw.empty()) see(Direction::kIn, exchange, exchange.raw, true);
    wipe(*answer);
    return outcome;
  }

  Result<HttpResponse> read(std::string_view answer, const std::string& where, Exchange& exchange) {
    const SendGuard* const guard = exchange.wanted.guard;
    std::size_t body_max = options_.response_bytes_max;
    if (guard != nullptr && guard->response_bytes_max != 0) body_max = std::min(body_max, guard->response_bytes_max);
    ResponseReader reader(
        [&](char* to, std::size_t size) {
          const std::size_t count = std::min(size, answer.size());
          std::memcpy(to, answer.data(), count);
          received(exchange, answer.substr(0, count));
          answer.remove_prefix(count);
          return static_cast<std::ptrdiff_t>(count);
        },
        {options_.header_bytes_max, options_.header_lines_max, body_max}, where, exchange.request.method != "HEAD");
    POSTERN_TRY(HttpResponse response, reader.read_head());
    show_what_came(response, exchange);
    if (exchange.wanted.on_head != nullptr && !(*exchange.wanted.on_head)(response)) return response;
    for (;;) {
      POSTERN_TRY(const std::string_view piece, reader.read_body());
      if (piece.empty()) return response;
      if (exchange.wanted.on_bytes == nullptr) {
        response.body += piece;
      } else if (!(*exchange.wanted.on_bytes)(piece)) {
        return response;
      }
    }
  }

  void received(Exchange& exchange, std::string_view bytes) {
    if (bytes.empty()) return;
    if (exchange.tap_sees_pieces) {
      see(Direction::kIn, exchange, bytes, false);
    } else {
      exchange.raw += bytes;
    }
  }

  void show_what_came(const HttpResponse& head, Exchange& exchange) {
    const std::string* type = head.headers.find("Content-Type");
    const bool streamed = exchange.wanted.on_bytes != nullptr;
    if (!streamed || (type != nullptr && media_type(*type) == "application/json")) return;
    see(Direction::kIn, exchange, exchange.raw, false);
    wipe(exchange.raw);
    exchange.tap_sees_pieces = true;
  }

  void see(Direction direction, const Exchange& exchange, std::string_view bytes, bool last) {
    env_.tap.see({Channel::kHttp, direction, options_.tap_self, options_.tap_peer, exchange.number, bytes, last});
  }

  InProcessNetwork& network_;
  Env env_;
  HttpClientOptions options_;
};

void InProcessNetwork::put(const std::string& origin, std::shared_ptr<InProcessServer> server) {
  servers_.insert_or_assign(origin, std::move(server));
}

std::unique_ptr<HttpClient> InProcessNetwork::client(Env env, HttpClientOptions options) {
  return std::make_unique<InProcessHttpClient>(*this, env, std::move(options));
}

Result<std::string> InProcessNetwork::exchange(const std::string& origin, std::string_view bytes,
                                               const std::stop_token& stop) {
  const auto found = servers_.find(origin);
  if (found == servers_.end() || found->second == nullptr) return Unreachable{origin, "connection refused"};
  const std::shared_ptr<InProcessServer> server = found->second;  // it may be taken away while it answers
  std::string answer = server->answer(bytes, stop);
  return change_ ? change_(origin, std::move(answer)) : std::move(answer);
}

}  // namespace postern::lab
