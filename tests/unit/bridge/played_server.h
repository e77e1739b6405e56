// A server of Streamable HTTP without sockets: each answer comes in the pieces, after the pauses and to the end that a
// test says. The clock is moved by the pauses, so that time passes only where a test wants it to.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bridge/failures.h"
#include "bridge/http_transport.h"
#include "tests/support/test_env.h"
#include "wire/transport/http_client.h"

namespace postern::bridge::played {

inline constexpr const char* kEndpoint = "http://127.0.0.1:8931/mcp";

// As the server read it.
struct SeenPost {
  std::string method;
  HeaderList headers;
  std::string text;
  Json body;  // null when there was none
};

struct Piece {
  std::string bytes;
  Milliseconds pause{0};  // before it comes
};

struct PlayedAnswer {
  int status = 200;
  HeaderList headers;
  std::vector<Piece> pieces;
  std::optional<Failure> ending;  // instead of the end of the body
  bool silent = false;            // no head at all
};

class Server final : public HttpClient {
 public:
  explicit Server(test::ManualClock& clock) : clock_(clock) {}
  std::function<PlayedAnswer(const SeenPost&)> play;
  std::vector<SeenPost> seen;
  int taken = 0;                                  // pieces that somebody read
  std::stop_source* stopped_by_person = nullptr;  // fires before the second piece

  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime deadline,
                            std::stop_token stop) override {
    std::string body;
    Result<HttpResponse> head = open(
        uri, request, [](const HttpResponse&) { return true; },
        [&](std::string_view bytes) {
          body += bytes;
          return true;
        },
        deadline, std::move(stop));
    if (head) head->body = std::move(body);
    return head;
  }
  Result<HttpResponse> open(const Uri& uri, const HttpRequest& request,
                            const std::function<bool(const HttpResponse&)>& on_head,
                            const std::function<bool(std::string_view)>& on_bytes, SteadyTime deadline,
                            std::stop_token stop) override {
    return open_until(
        uri, request, on_head, on_bytes, [deadline] { return deadline; }, std::move(stop));
  }
  Result<HttpResponse> open_until(const Uri& uri, const HttpRequest& request,
                                  const std::function<bool(const HttpResponse&)>& on_head,
                                  const std::function<bool(std::string_view)>& on_bytes,
                                  const std::function<SteadyTime()>& deadline, std::stop_token stop) override {
    EXPECT_EQ(uri.text(), kEndpoint);
    const Result<Json> body = parse_json(request.body);
    seen.push_back({request.method, request.headers, request.body, body ? *body : Json()});
    const PlayedAnswer answer = play(seen.back());
    HttpResponse head{answer.status, answer.headers, ""};
    if (answer.silent) return pass_to(deadline());
    if (!on_head(head)) return head;
    for (const Piece& piece : answer.pieces) {
      if (clock_.steady_now() + piece.pause >= deadline()) return pass_to(deadline());
      clock_.advance(piece.pause);
      if (taken == 1 && stopped_by_person != nullptr) stopped_by_person->request_stop();
      if (stop.stop_requested()) return Cancelled{};
      if (piece.bytes.empty()) continue;
      ++taken;
      if (!on_bytes(piece.bytes)) return head;
    }
    if (answer.ending) return *answer.ending;
    return head;
  }

 private:
  Failure pass_to(SteadyTime end) {
    clock_.advance(std::chrono::ceil<Milliseconds>(end - clock_.steady_now()));
    return TimedOut{kEndpoint};
  }
  test::ManualClock& clock_;
};

inline std::string id_in(const SeenPost& post) {
  return post.body.find("id")->dump();
}
// {"jsonrpc":"2.0","id":...,"result":...}
inline std::string result_text(const SeenPost& post, std::string_view result) {
  return R"({"jsonrpc":"2.0","id":)" + id_in(post) + R"(,"result":)" + std::string(result) + "}";
}
inline std::string error_text(const SeenPost& post, std::string_view error) {
  return R"({"jsonrpc":"2.0","id":)" + id_in(post) + R"(,"error":)" + std::string(error) + "}";
}
inline PlayedAnswer json_answer(std::string text, int status = 200) {
  return {status, {{"Content-Type", "application/json"}}, {{std::move(text)}}, std::nullopt, false};
}
inline PlayedAnswer stream_answer(std::vector<Piece> pieces) {
  return {200, {{"content-type", "text/event-stream; charset=utf-8"}}, std::move(pieces), std::nullopt, false};
}
inline std::string event(std::string_view message) {
  return "data: " + std::string(message) + "\n\n";
}
inline std::string progress_event(int value, std::string_view token = "1") {
  return event(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + std::string(token) +
               R"(,"progress":)" + std::to_string(value) + "}}");
}

// Puts what a test says into Authorization, and notes what it was asked for.
class Credentials final : public RequestAuthorizer {
 public:
  std::string authorization;  // "Bearer ...", empty: none
  std::string next;           // what a sign-in brings; empty: it fails
  int sign_ins = 0;
  int notes = 0;
  bool wants_again = false;  // once

  Status authorize(HttpRequest& request, const Uri&, const std::stop_token&) override {
    if (!authorization.empty()) request.headers.set("Authorization", authorization);
    return {};
  }
  bool take_note(const HttpResponse&) override {
    ++notes;
    return std::exchange(wants_again, false);
  }
  void begin_operation() override {}
  void end_operation() override {}
  Status sign_in(const HttpResponse&, const std::stop_token&) override {
    ++sign_ins;
    if (next.empty()) return EndedByCaller{"sign-in"};
    authorization = next;
    return {};
  }
  Status step_up(const std::string&, const std::stop_token&) override { return EndedByCaller{"step-up"}; }
  std::string person() const override { return {}; }
  ScopeSet granted() const override { return {}; }
};

struct HttpBench {
  test::TestEnv env;
  Server server{env.clock};
  Credentials credentials;
  HttpTransport transport{env.env(), server, credentials, *parse_uri(kEndpoint)};
  std::vector<std::string> heard;  // notifications, by method
  std::function<bool(const JsonRpcNotification&)> hears;

  OutgoingRequest request(std::string method = "tools/call") {
    OutgoingRequest made;
    made.method = std::move(method);
    Json meta = Json::object({{"io.modelcontextprotocol/protocolVersion", "2026-07-28"}, {"progressToken", 1}});
    made.params = Json::object({{"name", "get_order"}, {"_meta", std::move(meta)}});
    made.deadline = env.clock.steady_now() + Milliseconds(60'000);
    made.on_notification = [this](const JsonRpcNotification& notification) {
      heard.push_back(notification.method);
      return !hears || hears(notification);
    };
    return made;
  }
  Result<ServerAnswer> exchange(const OutgoingRequest& request) { return transport.exchange(request, {}); }
  Result<ServerAnswer> exchange() { return exchange(request()); }
};

}  // namespace postern::bridge::played
