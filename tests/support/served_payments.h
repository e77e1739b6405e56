// Payments with its API and its door, called without a socket.
#pragma once

#include <stop_token>
#include <string>
#include <utility>

#include "services/payments/payments_api.h"
#include "tests/support/payments_world.h"
#include "tests/support/service_credentials.h"
#include "wire/base/uri.h"
#include "wire/transport/http_client.h"

namespace postern::test {

// The whole response of routes, whatever lane it takes.
inline HttpResponse answer_of(const Routes& routes, const HttpRequest& request) {
  HttpReply reply = routes.handle(request);
  while (auto* blocking = std::get_if<Blocking>(&reply)) reply = blocking->work(std::stop_token());
  const auto* response = std::get_if<HttpResponse>(&reply);
  EXPECT_NE(response, nullptr);
  return response == nullptr ? HttpResponse{} : *response;
}

class ServedPayments : public PaymentsWorld {
 public:
  ServedPayments()
      : api_(*payments_, services::ServiceAdmission(
                             *services::ServiceAuthentication::of_json(admitted({"payments:refund", "payments:read"})),
                             *services::DownstreamLog::open(env_.clock, folder_.path(), "payments"))),
        routes_(api_.routes()) {}

  HttpResponse send(HttpRequest request, const std::string& operation) {
    services::ServiceAuthorizationHeader::write(request, credential_of(operation));
    return answer_of(routes_, request);
  }
  std::string downstream() const { return *read_file(folder_ / "downstream.jsonl", 1 << 20); }

  payments::PaymentsApi api_;
  Routes routes_;
};

// The way to payments: calls its routes directly, and breaks where it is told to.
class BreakableLink final : public HttpClient {
 public:
  explicit BreakableLink(const Routes& routes) : routes_(routes) {}
  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime, std::stop_token) override {
    ++sent;
    last_uri = uri.origin();
    last_target = request.target;
    if (refuse_connection) return Unreachable{uri.origin(), "connection refused"};
    HttpResponse response = answer_of(routes_, request);
    if (lose_answer) return PeerClosed{uri.origin()};
    if (!replace_body.empty()) response.body = replace_body;
    if (replace_status != 0) response.status = replace_status;
    return response;
  }
  Result<HttpResponse> open(const Uri& uri, const HttpRequest&, const std::function<bool(const HttpResponse&)>&,
                            const std::function<bool(std::string_view)>&, SteadyTime, std::stop_token) override {
    return Unreachable{uri.origin(), "not played"};
  }

  int sent = 0;
  std::string last_uri;
  std::string last_target;
  bool refuse_connection = false;
  bool lose_answer = false;
  std::string replace_body;
  int replace_status = 0;

 private:
  const Routes& routes_;
};

}  // namespace postern::test
