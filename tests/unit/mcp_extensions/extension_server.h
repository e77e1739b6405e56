// An MCP server with extensions, called as two persons on stdio, for the tests of the extensions.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "services/gate/principal.h"
#include "services/mcp/server.h"
#include "tests/support/test_env.h"
#include "wire/mcp/codec.h"

namespace postern::test {

inline Json json_of_text(std::string_view text) {
  return *parse_json(text);
}

class ExtensionServer {
 public:
  // Declared by the client on each request, unless a call says otherwise.
  static constexpr const char* kDeclared = R"({"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}})";

  void serve(mcp::ServerFeatures features) {
    features.server_info = {"extended", "1.0.0"};
    auto made = mcp::Server::make(env_.env(), std::move(features));
    ASSERT_TRUE(made.has_value()) << made.error().text();
    server_ = *std::move(made);
  }
  void close() { server_.reset(); }

  // The whole JSON-RPC answer.
  Json ask(const std::string& method, Json params, const char* person = "rowan", const char* declared = kDeclared) {
    params.set("_meta", Json::object({{mcp::kMetaProtocolVersion.data(), mcp::kProtocolVersion},
                                      {mcp::kMetaClientCapabilities.data(), json_of_text(declared)}}));
    const services::StdioLaunch launch(person);
    const mcp::RequestContext context{std::make_shared<services::Principal>(launch.principal()), nullptr, nullptr, {}};
    const JsonRpcRequest request{RequestId(std::int64_t{1}), method, std::move(params)};
    const auto accepted = server_->accept(request, context);
    if (!accepted) return *parse_json(mcp::refusal(accepted.error(), request.id).body);
    if (std::holds_alternative<mcp::PreparedListen>(*accepted)) return Json::object({{"result", Json::object()}});
    const auto answer = std::get<mcp::PreparedRequest>(*accepted).run();
    return *parse_json(answer->body);
  }
  // Its result, without the server's name; null for an error.
  Json result_of(const std::string& method, Json params, const char* person = "rowan",
                 const char* declared = kDeclared) {
    const Json answer = ask(method, std::move(params), person, declared);
    const Json* result = answer.find("result");
    if (result == nullptr) return {};
    Json bare = *result;
    bare.erase("_meta");
    return bare;
  }
  // The code of its error; 0 for a result.
  std::int64_t error_of(const std::string& method, Json params, const char* person = "rowan",
                        const char* declared = kDeclared) {
    const Json answer = ask(method, std::move(params), person, declared);
    const Json* error = answer.find("error");
    return error == nullptr ? 0 : error->integer_at("code").value_or(0);
  }

  TestEnv env_;

 private:
  std::unique_ptr<mcp::Server> server_;
};

}  // namespace postern::test
