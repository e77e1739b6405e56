#include "tests/lab/replay/replay_client.h"

#include <cstring>
#include <deque>
#include <utility>

#include "tests/lab/replay/message_text.h"
#include "wire/transport/request_writer.h"
#include "wire/transport/response_reader.h"

namespace postern::lab {
namespace {

// The answer that nobody gives: the run is over, and says why elsewhere.
Failure no_answer(const Uri& uri) {
  return Unreachable{uri.origin(), "the recording has no answer"};
}

Failure recorded_failure(const Json& line, const Uri& uri) {
  const std::string_view id = line.string_at("failure");
  const std::string where = uri.origin();
  std::string reason(line.string_at("reason"));
  if (id == PeerClosed::kId) return PeerClosed{where};
  if (id == TimedOut::kId) return TimedOut{where};
  if (id == Cancelled::kId) return Cancelled{};
  if (id == AddressRefused::kId) return AddressRefused{where, std::string(line.string_at("address"))};
  if (id == ResponseOverBound::kId) return ResponseOverBound{where, std::move(reason)};
  if (id == MalformedResponse::kId) return MalformedResponse{where, std::move(reason)};
  if (id == TlsFailed::kId) return TlsFailed{where, std::move(reason)};
  return Unreachable{where, std::move(reason)};
}

std::string chunk(std::string_view bytes) {
  if (bytes.empty()) return {};
  char size[24];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + std::string(bytes) + "\r\n";
}

// The recorded answer as it comes from a socket: a few pieces, then its end.
class RecordedBytes {
 public:
  struct Piece {
    std::string bytes;
    const Json* line = nullptr;  // whose time it has
  };

  RecordedBytes(ReplayStage& stage, const std::vector<const Json*>& lines) {
    const auto fill = [&stage](std::string_view text) { return stage.stand_ins().fill(text); };
    bool chunked = false;
    std::size_t head = 0;
    for (const Json* line : lines) {
      Piece piece{fill(line->string_at("raw")), line};
      if (line->has("start")) {
        chunked = is_chunked(*line);
        piece.bytes += head_bytes(*line, fill);
        head = piece.bytes.size();
      }
      const std::string body = fill(line->string_at("body"));
      if (!chunked) {
        piece.bytes += body;
      } else if (line->string_at("part") != "head") {
        const auto crossed = line->integer_at("bytes").value_or(0);
        const bool whole = !line->has("part");
        const std::size_t before = whole || std::exchange(after_head_, true) ? 0 : head;
        piece.bytes += framed(body, crossed - static_cast<std::int64_t>(whole ? head : before));
      }
      if (!piece.bytes.empty()) pieces_.push_back(std::move(piece));
    }
  }

  [[nodiscard]] bool empty() const { return pieces_.empty(); }
  [[nodiscard]] const Piece& front() const { return pieces_.front(); }
  // Up to that many bytes of the next piece.
  std::string take(std::size_t size) {
    Piece& piece = pieces_.front();
    std::string out = piece.bytes.substr(0, size);
    piece.bytes.erase(0, out.size());
    if (piece.bytes.empty()) pieces_.pop_front();
    return out;
  }

 private:
  // Chunks that make as many bytes as crossed, where one or none will do; the last one closes the body.
  static std::string framed(const std::string& body, std::int64_t crossed) {
    std::string one = chunk(body);
    constexpr std::string_view kLast = "0\r\n\r\n";
    if (static_cast<std::int64_t>(one.size() + kLast.size()) == crossed) return one.append(kLast);
    if (static_cast<std::int64_t>(one.size()) == crossed) return one;
    std::string events;
    std::size_t at = 0;
    for (std::size_t end = body.find("\n\n"); end != std::string::npos; end = body.find("\n\n", at)) {
      events += chunk(std::string_view(body).substr(at, end + 2 - at));
      at = end + 2;
    }
    events += chunk(std::string_view(body).substr(at));
    if (static_cast<std::int64_t>(events.size() + kLast.size()) == crossed) events.append(kLast);
    return events;
  }

  std::deque<Piece> pieces_;
  bool after_head_ = false;
};

class ReplayClient final : public HttpClient {
 public:
  ReplayClient(ReplayStage& stage, Env env, HttpClientOptions options)
      : stage_(stage), env_(env), options_(std::move(options)) {}

  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime, std::stop_token stop) override {
    return call(uri, request, nullptr, nullptr, stop);
  }
  Result<HttpResponse> send_guarded(const Uri& uri, const HttpRequest& request, const SendGuard& guard, SteadyTime,
                                    std::stop_token stop) override {
    // The world's addresses are numbers: what a resolver would give is the host itself.
    if (guard.admits_address && !guard.admits_address(uri.host, uri.host))
      return AddressRefused{uri.origin(), uri.host};
    return call(uri, request, nullptr, nullptr, stop);
  }
  Result<HttpResponse> open(const Uri& uri, const HttpRequest& request,
                            const std::function<bool(const HttpResponse&)>& on_head,
                            const std::function<bool(std::string_view)>& on_bytes, SteadyTime,
                            std::stop_token stop) override {
    return call(uri, request, &on_head, &on_bytes, stop);
  }

 private:
  using OnHead = std::function<bool(const HttpResponse&)>;
  using OnBytes = std::function<bool(std::string_view)>;

  Result<HttpResponse> call(const Uri& uri, const HttpRequest& request, const OnHead* on_head, const OnBytes* on_bytes,
                            const std::stop_token& stop) {
    POSTERN_TRY(const std::string bytes, write_request(uri, request, options_.keep_alive));
    stage_.compare_log();
    if (const Json* failure = stage_.failure(0)) return fail(*failure, uri, request, 0);
    if (stop.stop_requested()) return Cancelled{};
    if (stage_.is_over()) return no_answer(uri);
    number_ = next_exchange();
    see(Direction::kOut, bytes, true);
    const std::int64_t exchange = stage_.request_sent(bytes);
    if (stage_.is_over() || exchange == 0) return no_answer(uri);
    const std::vector<const Json*> lines = stage_.answer(exchange);
    const Json* const failure = stage_.failure(exchange);
    if (lines.empty() && failure != nullptr) return fail(*failure, uri, request, exchange);
    if (lines.empty()) {
      stage_.differ({stage_.played().size(), "bytes", "answer", "nothing", "a request that waits for one"});
      return no_answer(uri);
    }
    Result<HttpResponse> response = answer(uri, request, lines, on_head, on_bytes);
    stage_.compare_log();
    if (failure != nullptr) return fail(*failure, uri, request, exchange);
    return response;
  }

  Result<HttpResponse> fail(const Json& line, const Uri& uri, const HttpRequest& request, std::int64_t exchange) {
    stage_.move_clock(line);
    Failure failure = recorded_failure(line, uri);
    stage_.failed(failed_line(options_.tap_peer, uri, request, failure, exchange));
    return failure;
  }

  // As the product's client reads a socket and shows what it reads to the tap (wire/transport/http_client.cc).
  Result<HttpResponse> answer(const Uri& uri, const HttpRequest& request, const std::vector<const Json*>& lines,
                              const OnHead* on_head, const OnBytes* on_bytes) {
    RecordedBytes recorded(stage_, lines);
    std::string unseen;
    bool pieces = false;
    const auto read_some = [&](char* to, std::size_t size) -> std::ptrdiff_t {
      if (recorded.empty()) return 0;
      stage_.move_clock(*recorded.front().line);
      const std::string got = recorded.take(size);
      std::memcpy(to, got.data(), got.size());
      if (pieces) {
        see(Direction::kIn, got, false);
      } else {
        unseen += got;
      }
      return static_cast<std::ptrdiff_t>(got.size());
    };
    ResponseReader reader(read_some,
                          {options_.header_bytes_max, options_.header_lines_max, options_.response_bytes_max},
                          uri.origin(), request.method != "HEAD");
    Result<HttpResponse> outcome = read(reader, on_head, on_bytes, unseen, pieces);
    if (pieces || !unseen.empty()) see(Direction::kIn, unseen, true);
    return outcome;
  }

  Result<HttpResponse> read(ResponseReader& reader, const OnHead* on_head, const OnBytes* on_bytes, std::string& unseen,
                            bool& pieces) {
    POSTERN_TRY(HttpResponse response, reader.read_head());
    const std::string* type = response.headers.find("Content-Type");
    if (on_bytes != nullptr && (type == nullptr || media_type(*type) != "application/json")) {
      see(Direction::kIn, unseen, false);
      unseen.clear();
      pieces = true;
    }
    if (on_head != nullptr && !(*on_head)(response)) return response;
    for (;;) {
      POSTERN_TRY(const std::string_view piece, reader.read_body());
      if (piece.empty()) return response;
      if (on_bytes == nullptr) {
        response.body += piece;
      } else if (!(*on_bytes)(piece)) {
        return response;
      }
    }
  }

  void see(Direction direction, std::string_view bytes, bool last) {
    env_.tap.see(TapRecord{Channel::kHttp, direction, options_.tap_self, options_.tap_peer, number_, bytes, last});
  }

  ReplayStage& stage_;
  Env env_;
  HttpClientOptions options_;
  std::uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<HttpClient> make_replay_client(ReplayStage& stage, Env env, HttpClientOptions options) {
  return std::make_unique<ReplayClient>(stage, env, std::move(options));
}

Json failed_line(std::string_view peer, const Uri& uri, const HttpRequest& request, const Failure& failure,
                 std::int64_t exchange) {
  Json line = Json::object({{"kind", "failed"},
                            {"at", 0},
                            {"to", peer},
                            {"request", request.method + " " + std::string(uri.path)},
                            {"failure", failure.id()}});
  if (exchange > 0) line.set("exchange", exchange);
  if (const auto* refused = failure.as<AddressRefused>()) line.set("address", refused->address);
  if (const auto* unreachable = failure.as<Unreachable>()) line.set("reason", unreachable->reason);
  if (const auto* over = failure.as<ResponseOverBound>()) line.set("reason", over->what);
  if (const auto* malformed = failure.as<MalformedResponse>()) line.set("reason", malformed->what);
  if (const auto* tls = failure.as<TlsFailed>()) line.set("reason", tls->reason);
  return line;
}

}  // namespace postern::lab
