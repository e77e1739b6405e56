// An authorization server's endpoints for tests: an HttpClient without sockets that gives what a test has put in, in
// that order, and keeps what it was sent.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/test_env.h"
#include "wire/base/json.h"
#include "wire/base/uri.h"
#include "wire/oauth/metadata.h"
#include "wire/transport/http_client.h"

namespace postern::bridge::tokens_test {

inline constexpr const char* kIssuer = "https://login.example.test";
inline constexpr const char* kResource = "https://tickets.example.test/mcp";

inline AuthorizationServerMetadata server() {
  AuthorizationServerMetadata metadata;
  metadata.issuer = kIssuer;
  metadata.token_endpoint = std::string(kIssuer) + "/token";
  metadata.revocation_endpoint = std::string(kIssuer) + "/revoke";
  metadata.device_authorization_endpoint = std::string(kIssuer) + "/device";
  return metadata;
}

inline HttpResponse tokens(std::string token = "at-1", std::string type = "Bearer") {
  return json_response(
      200,
      Json::object({{"access_token", std::move(token)}, {"token_type", std::move(type)}, {"expires_in", 300}}).dump());
}

inline HttpResponse refusal(std::string error, int status = 400) {
  return json_response(status, Json::object({{"error", std::move(error)}, {"error_description", "so it is"}}).dump());
}

class TokenEndpoint final : public HttpClient {
 public:
  struct Seen {
    std::string url;
    HeaderList headers;
    FormFields fields;
    // The sole field of that name; "-" when there is none or there are two.
    [[nodiscard]] std::string field(std::string_view name) const {
      const auto value = sole_field(fields, name);
      return value && *value ? **value : "-";
    }
    [[nodiscard]] std::string header(std::string_view name) const {
      const std::string* value = headers.find(name);
      return value == nullptr ? "-" : *value;
    }
  };
  std::deque<Result<HttpResponse>> answers;  // when there is none left: tokens()
  std::vector<Seen> seen;

  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime, std::stop_token) override {
    seen.push_back({uri.text(), request.headers, request.method == "POST" ? *form_decode(request.body) : FormFields()});
    if (answers.empty()) return tokens();
    Result<HttpResponse> answer = std::move(answers.front());
    answers.pop_front();
    return answer;
  }
  Result<HttpResponse> open(const Uri&, const HttpRequest&, const std::function<bool(const HttpResponse&)>&,
                            const std::function<bool(std::string_view)>&, SteadyTime, std::stop_token) override {
    return Unreachable{"nowhere", "not played"};
  }
};

}  // namespace postern::bridge::tokens_test
