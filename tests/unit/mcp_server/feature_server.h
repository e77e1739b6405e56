// An MCP server with resources, templates, prompts and completers, asked by a caller with scopes, for the tests of what
// is beside tools.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "services/gate/principal.h"
#include "services/mcp/failures.h"
#include "services/mcp/server.h"
#include "tests/support/test_env.h"
#include "wire/mcp/codec.h"
#include "wire/mcp/headers.h"

namespace postern::test {

// Its resources: note://a, note://empty (no contents), note://broken (fails) and note://secret (needs desk:secret); its
// template note://by/{id}; its prompts: greet (needs "who") and ask (asks for input). "id" and "who" are completed.
class FeatureServer {
 public:
  FeatureServer() {
    auto made = mcp::Server::make(env.env(), features());
    EXPECT_TRUE(made.has_value());
    server = *std::move(made);
  }

  mcp::ServerFeatures features() {
    mcp::ServerFeatures features;
    features.server_info = {"features", "1.0.0"};
    features.base_scopes = ScopeSet{"desk:read"};
    features.lists_change = true;
    features.resources = {resource("note://a", {}, true), resource("note://empty", {}, false),
                          resource("note://broken", {}, false), resource("note://secret", {"desk:secret"}, true)};
    features.resource_templates = {by_id()};
    features.prompts = {greet(), ask()};
    return features;
  }

  // The whole JSON-RPC answer of a caller over HTTP.
  Json answer(const std::string& method, Json params, const ScopeSet& scopes = {"desk:read"},
              const char* capabilities = "{}") {
    const auto accepted = accept(method, std::move(params), scopes, capabilities);
    if (!accepted) return *parse_json(mcp::refusal(accepted.error(), RequestId(std::int64_t{1})).body);
    const auto* prepared = std::get_if<mcp::PreparedRequest>(&*accepted);
    return prepared == nullptr ? Json() : *parse_json(prepared->run()->body);
  }
  Result<mcp::Accepted> accept(const std::string& method, Json params, const ScopeSet& scopes = {"desk:read"},
                               const char* capabilities = "{}") {
    params.set("_meta", Json::object({{std::string(mcp::kMetaProtocolVersion), mcp::kProtocolVersion},
                                      {std::string(mcp::kMetaClientCapabilities), *parse_json(capabilities)}}));
    const HeaderList headers = mcp::request_headers(method, params);
    const services::StdioLaunch rowan("rowan");
    const mcp::RequestContext context{std::make_shared<services::Principal>(rowan.principal()), &scopes, &headers, {}};
    return server->accept({RequestId(std::int64_t{1}), method, std::move(params)}, context);
  }
  // The code of its error, 0 for a result.
  std::int64_t code(const std::string& method, Json params, const ScopeSet& scopes = {"desk:read"}) {
    const Json body = answer(method, std::move(params), scopes);
    const Json* error = body.find("error");
    return error == nullptr ? 0 : error->integer_at("code").value_or(0);
  }
  Json read(const std::string& uri) {
    const Json body = answer("resources/read", Json::object({{"uri", uri}}));
    const Json* result = body.find("result");
    return result == nullptr ? Json() : *result;
  }

  TestEnv env;
  std::unique_ptr<mcp::Server> server;
  int reads = 0;

 private:
  mcp::ResourceRow resource(const char* uri, ScopeSet scopes, bool subscribable) {
    mcp::ResourceRow row;
    row.definition = Json::object({{"uri", uri}, {"name", uri}});
    row.scopes = std::move(scopes);
    row.subscribable = subscribable;
    row.handler = [this, uri = std::string(uri)](const mcp::ReadCall&) -> Result<mcp::ReadOutcome> {
      ++reads;
      if (uri == "note://broken") return mcp::OutputInvalid{"note", "a secret detail of /var/lib"};
      mcp::ReadResourceResult result;
      result.contents = Json::array();
      if (uri != "note://empty") result.contents.push(Json::object({{"uri", uri}, {"text", "A note."}}));
      return mcp::ReadOutcome(std::move(result));
    };
    return row;
  }
  mcp::ResourceTemplateRow by_id() {
    mcp::ResourceTemplateRow row;
    row.definition = Json::object({{"uriTemplate", "note://by/{id}"}, {"name", "by id"}});
    row.handler = [this](const mcp::ReadCall& call) -> Result<mcp::ReadOutcome> {
      ++reads;
      mcp::ReadResourceResult result;
      result.contents = Json::array({Json::object({{"uri", call.params.uri}, {"text", call.variables.at("id")}})});
      return mcp::ReadOutcome(std::move(result));
    };
    row.completers = {{"id", [](const mcp::CompleteCall& call) -> Result<std::vector<std::string>> {
                         std::vector<std::string> values;
                         for (int i = 0; i < 150; ++i) values.push_back(call.params.value + std::to_string(i));
                         return values;
                       }}};
    return row;
  }
  static mcp::PromptRow greet() {
    mcp::PromptRow row;
    row.definition =
        *parse_json(R"({"name":"greet","arguments":[{"name":"who","required":true},{"name":"tone"},{"name":"mood"}]})");
    row.handler = [](const mcp::PromptCall& call) -> Result<mcp::PromptOutcome> {
      mcp::GetPromptResult result;
      const Json content = mcp::text_block("Greet " + *call.params.argument("who") + ".");
      result.messages = Json::array({Json::object({{"role", "user"}, {"content", content}})});
      return mcp::PromptOutcome(std::move(result));
    };
    row.completers = {{"who", [](const mcp::CompleteCall&) -> Result<std::vector<std::string>> {
                         return std::vector<std::string>{"rowan", "quinn", "avery"};
                       }}};
    return row;
  }
  static mcp::PromptRow ask() {
    mcp::PromptRow row;
    row.definition = *parse_json(R"({"name":"ask"})");
    row.handler = [](const mcp::PromptCall&) -> Result<mcp::PromptOutcome> {
      mcp::InputRequiredResult asks;
      asks.input_requests.push_back(
          {"link", "elicitation/create",
           mcp::to_json(mcp::ElicitRequestUrlParams{"Look.", "http://127.0.0.1:8940/approvals/APR-0001"})});
      return mcp::PromptOutcome(std::move(asks));
    };
    return row;
  }
};

}  // namespace postern::test
