// The server that the holes are tried on. It counts who reached what.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string>

#include "tests/support/served.h"
#include "wire/http_message/http_message.h"

namespace postern::holes {

inline constexpr std::string_view kAdmin = "GET /admin HTTP/1.1\r\nHost: x\r\n\r\n";  // what must never be served

class Target {
 public:
  explicit Target(HttpLimits limits = {}) : served_(routes(), limits) {}
  [[nodiscard]] std::uint16_t port() const { return served_.port(); }
  [[nodiscard]] int admin_calls() const { return admin_calls_; }

 private:
  Routes routes() {
    Routes routes;
    routes.add("POST", "/mcp", [](const HttpRequest& request) {
      return text_response(200, "body=" + std::to_string(request.body.size()) + ":" + request.body.substr(0, 64));
    });
    routes.add("GET", "/health", [](const HttpRequest&) { return text_response(200, "ok"); });
    routes.add("DELETE", "/mcp", [](const HttpRequest&) { return text_response(200, "deleted"); });
    routes.add("GET", "/admin", [this](const HttpRequest&) {
      ++admin_calls_;
      return text_response(200, "ADMIN");
    });
    routes.add("GET", "/big", [](const HttpRequest&) { return text_response(200, std::string(100'000, 'z')); });
    routes.add("GET", "/echo", [](const HttpRequest& request) {
      const std::string* in = request.headers.find("X-In");
      HttpResponse response = text_response(200, "echo");
      response.headers.add("X-Echo", in == nullptr ? "" : *in);
      return response;
    });
    routes.add("GET", "/split", [](const HttpRequest&) {
      HttpResponse response = text_response(200, "split");
      response.headers.add("X-Echo", "a\r\nSet-Cookie: s=1");
      return response;
    });
    routes.add("GET", "/throw",
               [](const HttpRequest&) -> HttpReply { throw std::runtime_error("the database password is hunter2"); });
    routes.add("GET", "/throw-number", [](const HttpRequest&) -> HttpReply { throw 7; });
    routes.add("GET", "/cases/*",
               [](const HttpRequest& request) { return text_response(200, std::to_string(request.path().size())); });
    return routes;
  }

  std::atomic<int> admin_calls_{0};
  test::Served served_;
};

}  // namespace postern::holes
