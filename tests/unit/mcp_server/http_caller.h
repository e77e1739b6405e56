// A WorkingServer behind a real HttpServer, and callers of it that read event by event.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "services/mcp/http_endpoint.h"
#include "tests/support/manual_clock.h"
#include "tests/support/raw_connection.h"
#include "tests/support/refused.h"
#include "tests/support/served.h"
#include "tests/unit/gate/signed_tokens.h"
#include "tests/unit/mcp_server/working_server.h"
#include "wire/mcp/headers.h"

namespace postern::test {

class McpOverHttp {
 public:
  // The token of every caller ends after so many seconds.
  explicit McpOverHttp(HttpLimits limits = {}, std::int64_t token_seconds = 300,
                       mcp::SubscriptionLimits subscriptions = {})
      : working_(subscriptions), token_(token_for(token_seconds)), served_(routes(), limits) {}

  [[nodiscard]] mcp::Server& core() { return *working_.server; }
  [[nodiscard]] mcp::Subscriptions& subscriptions() { return working_.server->subscriptions(); }
  [[nodiscard]] WorkingServer& working() { return working_; }
  [[nodiscard]] HttpServer& http() { return served_.server(); }
  [[nodiscard]] std::uint16_t port() const { return served_.port(); }
  // Takes the last tool away, so that the list is another one.
  void change_tools() {
    mcp::ServerFeatures features = working_.features();
    features.tools.pop_back();
    EXPECT_TRUE(succeeded(working_.server->update(std::move(features))));
  }

  // The bytes of one POST.
  static std::string post(const std::string& method, Json params, const std::string& id = "7") {
    if (!params.has("_meta")) params.set("_meta", json_of_text(kModernMeta));
    const std::string body =
        R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params.dump() + "}";
    std::string bytes = "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
    const HeaderList headers = mcp::request_headers(method, params);
    for (const auto& [name, value] : headers.fields()) bytes += name + ": " + value + "\r\n";
    return bytes + "\r\n" + body;
  }
  static std::string call(const char* tool, const char* meta = "{}", const std::string& id = "7") {
    Json whole = json_of_text(kModernMeta);
    const Json extra = json_of_text(meta);
    for (const auto& [name, value] : extra.members()) whole.set(name, value);
    return post("tools/call", Json::object({{"name", tool}, {"_meta", std::move(whole)}}), id);
  }
  static std::string listen(const std::string& id = "7") {
    const Json filter = json_of_text(R"({"toolsListChanged":true,"resourceSubscriptions":["note://one"]})");
    return post("subscriptions/listen", Json::object({{"notifications", filter}}), id);
  }

 private:
  static std::shared_ptr<const services::VerifiedAccessToken> token_for(std::int64_t seconds) {
    const SystemClock clock;
    const SignedTokens tokens(clock);
    const services::TokenVerifier verifier(kGateIssuer, kGateResource);
    const JwkSet keys = *JwkSet::of_json(tokens.jwk_set());
    const std::int64_t ends = unix_seconds(clock.now()) + seconds;
    auto verified = verifier.verify(tokens.token_with("exp", ends), keys, clock.now());
    EXPECT_TRUE(verified.has_value());
    return std::make_shared<const services::VerifiedAccessToken>(*std::move(verified));
  }
  Routes routes() {
    Routes routes;
    routes.add("POST", "/mcp", [this](const HttpRequest& request) { return endpoint_.handle(request, token_); });
    return routes;
  }

  WorkingServer working_;
  mcp::HttpEndpoint endpoint_{*working_.server, "http://127.0.0.1:8931/.well-known/oauth-protected-resource/mcp"};
  std::shared_ptr<const services::VerifiedAccessToken> token_;
  Served served_;
};

// The events of a stream whose bytes came, in order. Each stands whole in one chunk.
inline std::vector<Json> events_in(std::string_view bytes) {
  constexpr std::string_view kData = "data: ";
  std::vector<Json> events;
  for (std::size_t at = bytes.find(kData); at != bytes.npos; at = bytes.find(kData, at + 1)) {
    const std::size_t end = bytes.find('\n', at);
    if (end == bytes.npos) break;
    events.push_back(*parse_json(bytes.substr(at + kData.size(), end - at - kData.size())));
  }
  return events;
}

}  // namespace postern::test
