// An HttpClient that calls Routes in the same process, by origin: several servers of ours without a socket. Adds the
// Host header, runs what a handler leaves to the blocking lane at once, and can take a server down. Thread-safe once it
// is set up.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "wire/base/check.h"
#include "wire/transport/http_client.h"
#include "wire/transport/http_server.h"

namespace postern::test {

class RoutesHttpClient final : public HttpClient {
 public:
  // "http://127.0.0.1:8931"; `routes` must outlive this object.
  void serve(const std::string& origin, const Routes& routes) {
    servers_.emplace(origin, std::make_unique<Server>(&routes));
  }
  void set_down(const std::string& origin, bool down) { servers_.at(origin)->down = down; }
  [[nodiscard]] int requests_to(const std::string& origin) const { return servers_.at(origin)->requests; }

  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime, std::stop_token stop) override {
    const auto server = servers_.find(uri.origin());
    if (server == servers_.end() || server->second->down) return Unreachable{uri.origin(), "connection refused"};
    ++server->second->requests;
    HttpRequest received = request;
    if (received.target.empty()) received.target = uri.target();
    if (!received.headers.has("Host")) received.headers.add("Host", uri.authority());
    received.peer_address = "127.0.0.1";
    HttpReply reply = server->second->routes->handle(received);
    while (auto* blocking = std::get_if<Blocking>(&reply)) {
      const auto work = std::move(blocking->work);
      reply = work(stop);
    }
    POSTERN_CHECK(std::holds_alternative<HttpResponse>(reply));
    return std::get<HttpResponse>(std::move(reply));
  }
  Result<HttpResponse> open(const Uri& uri, const HttpRequest& request,
                            const std::function<bool(const HttpResponse&)>& on_head,
                            const std::function<bool(std::string_view)>& on_bytes, SteadyTime deadline,
                            std::stop_token stop) override {
    POSTERN_TRY(HttpResponse response, send(uri, request, deadline, std::move(stop)));
    std::string body = std::move(response.body);
    response.body.clear();
    if (on_head(response)) on_bytes(body);
    return response;
  }

 private:
  struct Server {
    explicit Server(const Routes* served) : routes(served) {}
    const Routes* routes;
    std::atomic<bool> down = false;
    std::atomic<int> requests = 0;
  };
  std::map<std::string, std::unique_ptr<Server>> servers_;
};

}  // namespace postern::test
