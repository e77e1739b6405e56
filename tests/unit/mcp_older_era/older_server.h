// An MCP server with tools of every kind that matters to an older client, and the block that answers such clients.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "services/gate/rate_limits.h"
#include "services/gate/token_verifier.h"
#include "services/mcp/failures.h"
#include "services/mcp/server.h"
#include "services/mcp_older_era/older_era_block.h"
#include "tests/support/test_env.h"
#include "tests/unit/gate/signed_tokens.h"
#include "wire/mcp/codec.h"

namespace postern::test {

inline Json json_text(std::string_view text) {
  return *parse_json(text);
}

// "read" gives {"said": text}; "rows" gives an array, as its schema says; "write" and "undo" do not only read; "form"
// needs a capability; "ask" asks for input; "extra" needs a scope of its own; "mirror" has a header; "drift" breaks its
// output schema; "wait" waits for its token in the blocking lane; "web" is for HTTP only.
class OlderServer {
 public:
  OlderServer() {
    mcp::ServerFeatures features;
    features.server_info = {"small", "1.0.0"};
    features.instructions = "Say something.";
    features.base_scopes = ScopeSet{"desk:read"};
    features.tools = rows();
    features.admit_call = [this](const services::Principal&) { return calls_refused; };
    features.admit_request = [this](const services::Principal&) { return requests_refused; };
    mcp::OlderEraBlock::announce(features);
    auto made = mcp::Server::make(env_.env(), std::move(features));
    EXPECT_TRUE(made.has_value());
    server = *std::move(made);
    block = std::make_unique<mcp::OlderEraBlock>(*server);
  }

  std::shared_ptr<const services::VerifiedAccessToken> token(const char* scope = "desk:read") {
    const services::TokenVerifier verifier(kGateIssuer, kGateResource);
    const JwkSet keys = *JwkSet::of_json(tokens_.jwk_set());
    auto verified = verifier.verify(tokens_.token_with("scope", scope), keys, env_.clock.now());
    EXPECT_TRUE(verified.has_value());
    return std::make_shared<const services::VerifiedAccessToken>(*std::move(verified));
  }

  TestEnv env_;
  SignedTokens tokens_{env_.clock};
  Status calls_refused;     // what admit_call says
  Status requests_refused;  // what admit_request says
  int runs = 0;             // of handlers
  bool saw_stop = false;    // the last handler's token had fired when it began
  std::unique_ptr<mcp::Server> server;
  std::unique_ptr<mcp::OlderEraBlock> block;

 private:
  static constexpr const char* kText = R"({"type":"object","properties":{"text":{"type":"string","maxLength":5},
                                           "any":true},"required":["text"],"additionalProperties":false})";
  static constexpr const char* kNone = R"({"type":"object","additionalProperties":false})";
  static constexpr const char* kSaid =
      R"({"type":"object","properties":{"said":{"type":"string"}},"required":["said"]})";
  static constexpr const char* kReads = R"({"readOnlyHint":true})";

  static mcp::ToolRow row(const char* name, const char* input, const char* output, const char* annotations,
                          mcp::ToolHandler handler) {
    mcp::ToolRow row;
    Json definition = Json::object({{"name", name}, {"inputSchema", json_text(input)}});
    if (output != nullptr) definition.set("outputSchema", json_text(output));
    if (annotations != nullptr) definition.set("annotations", json_text(annotations));
    row.tool = *mcp::read_tool(definition);
    row.scopes = ScopeSet{"desk:read"};
    row.handler = std::move(handler);
    return row;
  }
  mcp::ToolHandler gives(Json value) {
    return [this, value = std::move(value)](const mcp::ToolCall& call) -> Result<mcp::CallToolOutcome> {
      ++runs;
      saw_stop = call.stop.stop_requested();
      return mcp::CallToolOutcome(mcp::CallToolResult{Json(), value, false});
    };
  }
  // Until its token fires: at the deadline of the row, or when whoever called it stops it.
  static Result<mcp::CallToolOutcome> wait(const mcp::ToolCall& call) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    changed.wait(lock, call.stop, [] { return false; });
    return mcp::LaneNeeded{};
  }
  std::vector<mcp::ToolRow> rows() {
    const Json said = Json::object({{"said", "hello"}});
    std::vector<mcp::ToolRow> rows;
    rows.push_back(row("read", kText, kSaid, kReads, gives(said)));
    rows.push_back(row("rows", kNone, R"({"type":"array"})", kReads, gives(Json::array({1, 2}))));
    rows.push_back(row("write", kNone, nullptr, nullptr, gives(said)));
    rows.push_back(row("undo", kNone, nullptr, R"({"readOnlyHint":false})", gives(said)));
    rows.back().scopes = ScopeSet{"desk:read", "refunds:write"};
    rows.push_back(row("form", kNone, nullptr, kReads, gives(said)));
    rows.back().client_capabilities = json_text(R"({"elicitation":{}})");
    rows.push_back(row("ask", kNone, kSaid, kReads, [](const mcp::ToolCall&) -> Result<mcp::CallToolOutcome> {
      mcp::InputRequiredResult asks;
      asks.request_state = "state-1";
      return mcp::CallToolOutcome(std::move(asks));
    }));
    rows.push_back(row("extra", kNone, nullptr, kReads, gives(said)));
    rows.back().scopes = ScopeSet{"desk:read", "extra:read"};
    rows.push_back(row("mirror",
                       R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}})",
                       nullptr, kReads, gives(said)));
    rows.push_back(row("drift", kNone, kSaid, kReads, gives(Json::object({{"said", 5}}))));
    rows.push_back(row("wait", kNone, nullptr, kReads, wait));
    rows.back().lane = mcp::Lane::kBlocking;
    rows.back().deadline = std::chrono::milliseconds(50);
    rows.push_back(row("web", kNone, nullptr, kReads, gives(said)));
    rows.back().http_only = true;
    rows.back().lane = mcp::Lane::kBlocking;
    return rows;
  }
};

}  // namespace postern::test
