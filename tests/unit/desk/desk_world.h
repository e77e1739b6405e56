// The desk over HTTP with a real gate, real databases with the synthetic world, and played services behind it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "services/desk/compose.h"
#include "tests/support/service_credentials.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_env.h"
#include "tests/unit/desk/played_services.h"
#include "wire/base/file.h"
#include "wire/mcp/codec.h"
#include "wire/mcp/headers.h"

namespace postern::test {

inline constexpr const char* kHostAuthority = "127.0.0.1:8931";
inline constexpr const char* kReadOnly = "desk:read";
inline constexpr const char* kReadAndRefund = "desk:read refunds:write";

class DeskWorld {
 public:
  explicit DeskWorld(const desk::CallerLimitOptions& limits = {}) {
    desk::HttpDeskOptions with_limits = options();
    with_limits.limits = limits;
    auto composed = desk::HttpDesk::compose(env_.env(), std::move(with_limits), {services, services});
    EXPECT_TRUE(composed.has_value()) << composed.error().text();
    desk = *std::move(composed);
    routes = desk->routes();
  }

  desk::HttpDeskOptions options() {
    desk::HttpDeskOptions options;
    options.store = {folder_ / "db",
                     admitted({"customers:read", "orders:read", "returns:read"}),
                     {credential_of("customers:read"), credential_of("orders:read"), credential_of("returns:read")},
                     true};
    options.issuer = kGateIssuer;
    options.resource = kGateResource;
    options.approvals_url = *parse_uri(kApprovalsOrigin);
    options.payments_url = *parse_uri(kPaymentsOrigin);
    options.page_origin = "http://127.0.0.1:8940";
    options.key_ring_file = folder_ / "key-ring.json";
    options.approvals = credential_of("approvals:request");
    options.payments = {credential_of("payments:read"), credential_of("payments:refund")};
    return options;
  }

  // A token of that person. It lives for 300 s from now.
  [[nodiscard]] std::string token(const char* person = "rowan", const char* scope = kReadOnly) const {
    Json claims = tokens.claims();
    claims.set("sub", person)
        .set("scope", scope)
        .set("name", person == std::string("rowan") ? "Rowan Diaz" : "Quinn Hale");
    return tokens.sign(tokens.header(), claims);
  }
  // A POST with everything that belongs to it.
  [[nodiscard]] static HttpRequest post(const std::string& token, const std::string& method, Json params) {
    if (!params.has("_meta")) {
      params.set("_meta", *parse_json(R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",
                                          "io.modelcontextprotocol/clientCapabilities":{"elicitation":{"url":{}}}})"));
    }
    HttpRequest request;
    request.method = "POST";
    request.target = "/mcp";
    request.headers = mcp::request_headers(method, params);
    request.headers.add("Host", kHostAuthority);
    request.headers.add("Authorization", "Bearer " + token);
    request.body = R"({"jsonrpc":"2.0","id":7,"method":")" + method + R"(","params":)" + params.dump() + "}";
    return request;
  }
  HttpResponse send(const HttpRequest& request) {
    HttpReply reply = routes.handle(request);
    while (auto* blocking = std::get_if<Blocking>(&reply)) {
      const auto work = std::move(blocking->work);
      reply = work({});
    }
    return std::get<HttpResponse>(std::move(reply));
  }
  // The result of one tool call, or the error object when there is none.
  Json call(const std::string& token, const char* tool, Json arguments, Json more = Json::object()) {
    Json params = std::move(more);
    params.set("name", tool).set("arguments", std::move(arguments));
    const HttpResponse response = send(post(token, "tools/call", std::move(params)));
    last_status = response.status;
    const Json body = parse_json(response.body).value_or(Json());
    const Json* result = body.find("result");
    const Json* error = body.find("error");
    return result != nullptr ? *result : error != nullptr ? *error : body;
  }
  // The handle of a case that was opened.
  std::string open_case(const char* ticket, const char* person = "rowan") {
    const Json result = call(token(person), "open_case", Json::object({{"ticket_id", ticket}}));
    EXPECT_EQ(result.boolean_at("isError").value_or(false), false) << result.dump();
    const Json* structured = result.find("structuredContent");
    return structured == nullptr ? "" : std::string(structured->string_at("case_handle"));
  }
  [[nodiscard]] static std::string text_of(const Json& result) {
    const Json* content = result.find("content");
    return content == nullptr || content->size() == 0 ? "" : std::string(content->elements()[0].string_at("text"));
  }
  // What the services inside the desk wrote down about their callers.
  [[nodiscard]] std::string downstream() const { return *read_file(folder_ / "db/downstream.jsonl", 1 << 20); }

  TemporaryFolder folder_;
  TestEnv env_;
  SignedTokens tokens{env_.clock};
  PlayedServices services{tokens};
  std::unique_ptr<desk::HttpDesk> desk;
  Routes routes;
  int last_status = 0;
};

}  // namespace postern::test
