// An MCP server with a few small tools, and the token of a caller, for the tests of the core.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "services/gate/token_verifier.h"
#include "services/mcp/failures.h"
#include "services/mcp/server.h"
#include "tests/support/test_env.h"
#include "tests/unit/gate/signed_tokens.h"
#include "wire/mcp/codec.h"
#include "wire/mcp/headers.h"

namespace postern::test {

inline Json json_of_text(std::string_view text) {
  return *parse_json(text);
}

inline constexpr const char* kModernMeta =
    R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

// Its tools: "echo" gives {"said": text}; "drift" breaks its output schema; "fail" fails with what its argument says;
// "ask" asks for input; "pay" needs scope, HTTP and a capability, and runs in the blocking lane; "mirror" has a header;
// "slow" first refuses to run on the loop.
class SmallServer {
 public:
  explicit SmallServer(std::size_t tools_max = 100) {
    auto made = mcp::Server::make(env_.env(), features(tools_max));
    EXPECT_TRUE(made.has_value());
    server = *std::move(made);
  }

  mcp::ServerFeatures features(std::size_t tools_max) {
    mcp::ServerFeatures features;
    features.server_info = {"small", "1.0.0"};
    features.instructions = "Say something.";
    features.base_scopes = ScopeSet{"desk:read"};
    features.tools = {echo(), drift(), fail(), ask(), pay(), mirror(), slow()};
    while (features.tools.size() > tools_max) features.tools.pop_back();
    return features;
  }

  static mcp::ToolRow row(const char* name, const char* input, const char* output, mcp::ToolHandler handler) {
    mcp::ToolRow row;
    Json definition = Json::object({{"name", name}, {"inputSchema", json_of_text(input)}});
    if (output != nullptr) definition.set("outputSchema", json_of_text(output));
    row.tool = *mcp::read_tool(definition);
    row.scopes = ScopeSet{"desk:read"};
    row.handler = std::move(handler);
    return row;
  }

  // A token of rowan with that scope, verified as the gate does it.
  std::shared_ptr<const services::VerifiedAccessToken> token(const char* scope = "desk:read") {
    const services::TokenVerifier verifier(kGateIssuer, kGateResource);
    const JwkSet keys = *JwkSet::of_json(tokens_.jwk_set());
    auto verified = verifier.verify(tokens_.token_with("scope", scope), keys, env_.clock.now());
    EXPECT_TRUE(verified.has_value());
    return std::make_shared<const services::VerifiedAccessToken>(*std::move(verified));
  }

  TestEnv env_;
  SignedTokens tokens_{env_.clock};
  std::unique_ptr<mcp::Server> server;
  int runs = 0;                      // of handlers
  bool may_block = true;             // as the last handler saw it
  std::string caller;                // the subject that the last handler saw
  SteadyTime::duration time_left{};  // until the last handler's deadline

 private:
  static constexpr const char* kText = R"({"type":"object","properties":{"text":{"type":"string","maxLength":5}},
                                           "required":["text"],"additionalProperties":false})";
  static constexpr const char* kNone = R"({"type":"object","additionalProperties":false})";
  static constexpr const char* kSaid =
      R"({"type":"object","properties":{"said":{"type":"string"}},"required":["said"]})";

  static Result<mcp::CallToolOutcome> structured_result(Json value) {
    return mcp::CallToolOutcome(mcp::CallToolResult{Json(), std::move(value), false});
  }
  mcp::ToolRow echo() {
    return row("echo", kText, kSaid, [this](const mcp::ToolCall& call) {
      note(call);
      return structured_result(Json::object({{"said", call.arguments.string_at("text")}}));
    });
  }
  mcp::ToolRow drift() {
    return row("drift", kNone, kSaid, [](const mcp::ToolCall&) {
      return structured_result(Json::object({{"said", 5}}));
    });
  }
  mcp::ToolRow fail() {
    return row("fail", kText, kSaid, [](const mcp::ToolCall& call) -> Result<mcp::CallToolOutcome> {
      if (call.arguments.string_at("text") == "tool") return mcp::ArgumentsInvalid{"fail", "It went wrong."};
      if (call.arguments.string_at("text") == "param") return mcp::MalformedParams{"params.x", "another"};
      return mcp::OutputInvalid{"fail", "a secret detail"};
    });
  }
  mcp::ToolRow ask() {
    return row("ask", kNone, kSaid, [](const mcp::ToolCall& call) -> Result<mcp::CallToolOutcome> {
      mcp::InputRequiredResult asks;
      asks.request_state = call.params.request_state.value_or("state-1") + "+";
      return mcp::CallToolOutcome(std::move(asks));
    });
  }
  mcp::ToolRow pay() {
    mcp::ToolRow pay = row("pay", kNone, nullptr, [this](const mcp::ToolCall& call) {
      note(call);
      return structured_result(Json::object());
    });
    pay.scopes = ScopeSet{"desk:read", "refunds:write"};
    pay.http_only = true;
    pay.lane = mcp::Lane::kBlocking;
    pay.client_capabilities = json_of_text(R"({"elicitation":{"url":{}}})");
    return pay;
  }
  mcp::ToolRow mirror() {
    return row("mirror", R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}})",
               nullptr, [](const mcp::ToolCall&) { return structured_result(Json::object()); });
  }
  mcp::ToolRow slow() {
    mcp::ToolRow slow = row("slow", kNone, nullptr, [this](const mcp::ToolCall& call) -> Result<mcp::CallToolOutcome> {
      note(call);
      if (!call.may_block) return mcp::LaneNeeded{};
      return structured_result(Json::object());
    });
    slow.lane = mcp::Lane::kLoopFirst;
    return slow;
  }
  void note(const mcp::ToolCall& call) {
    ++runs;
    may_block = call.may_block;
    time_left = call.deadline - env_.clock.steady_now();
    caller = call.principal.subject();
  }
};

}  // namespace postern::test
