// An HttpClient without sockets: requests go straight to the Routes of the origin that they name.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "wire/transport/http_client.h"
#include "wire/transport/http_server.h"

namespace postern::test {

// Remembers what was asked. For one thread, unless nothing is added while it is used.
class RoutesClient final : public HttpClient {
 public:
  // "http://127.0.0.1:8930". The routes must outlive the client.
  void serve(const std::string& origin, const Routes& routes) { routes_[origin] = &routes; }
  // From now on everything is unreachable, or reachable again.
  void set_unreachable(bool unreachable) { unreachable_ = unreachable; }

  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime, std::stop_token) override {
    const auto found = routes_.find(uri.origin());
    asked_.push_back(request.method + " " + uri.text());
    if (unreachable_ || found == routes_.end()) return Unreachable{uri.origin(), "connection refused"};
    HttpRequest sent = request;
    if (sent.target.empty()) sent.target = uri.target();
    sent.headers.set("Host", uri.authority());
    HttpReply reply = found->second->handle(sent);
    while (auto* blocking = std::get_if<Blocking>(&reply)) reply = blocking->work({});
    return std::get<HttpResponse>(reply);
  }

  Result<HttpResponse> open(const Uri& uri, const HttpRequest& request,
                            const std::function<bool(const HttpResponse&)>& on_head,
                            const std::function<bool(std::string_view)>& on_bytes, SteadyTime deadline,
                            std::stop_token stop) override {
    auto response = send(uri, request, deadline, stop);
    if (response && on_head(*response)) static_cast<void>(on_bytes(response->body));
    return response;
  }

  // "GET http://127.0.0.1:8930/jwks", in order.
  [[nodiscard]] const std::vector<std::string>& asked() const { return asked_; }

 private:
  std::map<std::string, const Routes*> routes_;
  std::vector<std::string> asked_;
  bool unreachable_ = false;
};

}  // namespace postern::test
