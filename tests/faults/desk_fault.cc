#include "tests/faults/desk_fault.h"

#include <optional>
#include <utility>

#include "wire/transport/failures.h"
#include "wire/transport/http_client.h"

namespace postern::faults {
namespace {

constexpr JsonBounds kBounds{64 * 1024 * 1024, 64};
constexpr std::string_view kHeadEnd = "\r\n\r\n";

// Where the client and the bytes of its answers meet: the answer of the world comes while a request is on its way.
struct Exchange {
  std::shared_ptr<DeskFault> fault;
  std::optional<Passing> passing;
};

class FaultyClient final : public HttpClient {
 public:
  FaultyClient(std::unique_ptr<HttpClient> inner, std::shared_ptr<Exchange> exchange)
      : inner_(std::move(inner)), exchange_(std::move(exchange)) {}

  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime deadline,
                            std::stop_token stop) override {
    return send_guarded(uri, request, {}, deadline, std::move(stop));
  }
  Result<HttpResponse> send_guarded(const Uri& uri, const HttpRequest& request, const SendGuard& guard,
                                    SteadyTime deadline, std::stop_token stop) override {
    return pass(uri, request, deadline, [&](const HttpRequest& changed) {
      return inner_->send_guarded(uri, changed, guard, deadline, std::move(stop));
    });
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
    return pass(uri, request, deadline(), [&](const HttpRequest& changed) {
      return inner_->open_until(uri, changed, on_head, on_bytes, deadline, std::move(stop));
    });
  }

 private:
  template <class Send>
  Result<HttpResponse> pass(const Uri& uri, const HttpRequest& request, SteadyTime deadline, Send send_on) {
    HttpRequest changed = request;
    exchange_->fault->change_request(changed);
    exchange_->passing = Passing{request, deadline};
    Result<HttpResponse> answer = send_on(changed);
    const bool too_late = exchange_->passing->too_late;
    exchange_->passing.reset();
    if (too_late) return TimedOut{uri.origin()};
    return answer;
  }

  std::unique_ptr<HttpClient> inner_;
  std::shared_ptr<Exchange> exchange_;
};

std::string_view header(const HttpRequest& request, std::string_view name) {
  const std::string* value = request.headers.find(name);
  return value == nullptr ? std::string_view() : *value;
}

// The head of an answer with another length of the body.
std::string with_length(std::string_view head, std::size_t length) {
  std::string changed;
  while (!head.empty()) {
    const std::size_t end = head.find("\r\n");
    const std::string_view line = head.substr(0, end);
    head = end == std::string_view::npos ? std::string_view() : head.substr(end + 2);
    const bool is_length = equal_ignoring_case(line.substr(0, line.find(':')), "Content-Length");
    changed += is_length ? "Content-Length: " + std::to_string(length) : std::string(line);
    changed += "\r\n";
  }
  return changed + "\r\n";
}

}  // namespace

void between_host_and_desk(Scene& scene, std::shared_ptr<DeskFault> fault) {
  const auto exchange = std::make_shared<Exchange>();
  exchange->fault = std::move(fault);
  scene.world.decorators.http = [exchange](std::unique_ptr<HttpClient> client, std::string_view from,
                                           std::string_view to) -> std::unique_ptr<HttpClient> {
    if (from != "host" || to != "server") return client;
    return std::make_unique<FaultyClient>(std::move(client), exchange);
  };
  scene.world.decorators.answers = [exchange](std::string_view from, std::string bytes) {
    if (from != "desk" || !exchange->passing) return bytes;
    return exchange->fault->change_answer(*exchange->passing, std::move(bytes));
  };
}

bool asks_for(const HttpRequest& request, std::string_view method) {
  return header(request, "Mcp-Method") == method;
}

bool calls_tool(const HttpRequest& request, std::string_view tool) {
  return asks_for(request, "tools/call") && header(request, "Mcp-Name") == tool;
}

bool has_status(std::string_view bytes, int status) {
  return bytes.starts_with("HTTP/1.1 " + std::to_string(status) + " ");
}

std::string with_result_changed(std::string bytes, const std::function<void(Json& result)>& change) {
  const std::size_t end = bytes.find(kHeadEnd);
  if (end == std::string::npos) return bytes;
  Result<Json> message = parse_json(std::string_view(bytes).substr(end + kHeadEnd.size()), kBounds);
  Json* result = message ? message->find("result") : nullptr;
  if (result == nullptr || !result->is_object()) return bytes;
  change(*result);
  const std::string body = message->dump();
  return with_length(std::string_view(bytes).substr(0, end), body.size()) + body;
}

std::string with_tool_changed(std::string bytes, std::string_view tool,
                              const std::function<void(Json& definition)>& change) {
  return with_result_changed(std::move(bytes), [&](Json& result) {
    const Json* tools = result.find("tools");
    if (tools == nullptr) return;
    Json changed = Json::array();
    for (Json definition : tools->elements()) {
      if (definition.string_at("name") == tool) change(definition);
      changed.push(std::move(definition));
    }
    result.set("tools", std::move(changed));
  });
}

std::string json_answer(std::string_view status_line, const Json& body) {
  const std::string text = body.dump();
  return "HTTP/1.1 " + std::string(status_line) +
         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(text.size()) +
         "\r\nConnection: close\r\n\r\n" + text;
}

}  // namespace postern::faults
