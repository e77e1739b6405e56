// A desk, its issuer and a person for the tests of the bridge: an HttpClient without sockets, whose peers do what a
// test tells them.
//
// The resource is http://127.0.0.1:8931/mcp, the issuer http://127.0.0.1:8932. Tokens are "at_1", "at_2", ...; each is
// good for the scopes that it was asked for.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bridge/call_observer.h"
#include "bridge/elicitation_handler.h"
#include "bridge/http_transport.h"
#include "bridge/oauth/code_grant.h"
#include "bridge/oauth/credential_store.h"
#include "bridge/oauth/oauth_client.h"
#include "bridge/oauth/sign_in_observer.h"
#include "bridge/oauth/user_agent.h"
#include "bridge/session.h"
#include "pins/pin_gate.h"
#include "tests/support/test_env.h"
#include "wire/base/json.h"
#include "wire/base/uri.h"
#include "wire/mcp/codec.h"
#include "wire/oauth/scope.h"
#include "wire/transport/http_client.h"

namespace postern::bridge::pretended {

inline constexpr const char* kServer = "http://127.0.0.1:8931/mcp";
inline constexpr const char* kIssuer = "http://127.0.0.1:8932";
inline constexpr const char* kMetadata = "http://127.0.0.1:8931/.well-known/oauth-protected-resource/mcp";

inline HttpResponse reply(int status, Json body) {
  return json_response(status, body.dump());
}

inline HttpResponse challenged(int status, std::string challenge) {
  HttpResponse response = reply(status, Json::object({{"error", "refused"}}));
  response.headers.add("WWW-Authenticate", std::move(challenge));
  return response;
}

// What one request to /mcp was, as the server saw it.
struct SeenCall {
  Json body;
  HeaderList headers;
  std::string token;  // empty: none
};

class Peers final : public HttpClient {
 public:
  // Answers a JSON-RPC request that passed the gate: gives "result" or a whole response.
  using Handler = std::function<Result<HttpResponse>(const SeenCall&)>;
  Handler handle;

  // What the gate wants for tools/call of issue_refund, and for everything else.
  std::string refund_scopes = "desk:read refunds:write";
  std::string scopes_for_all = "desk:read";
  bool gate_open = false;  // no token wanted
  bool refuse_every_token = false;
  bool refuse_scope_for_ever = false;
  std::string named_issuer = kIssuer;
  std::string metadata_url = kMetadata;
  std::string resource = kServer;
  std::optional<std::string> refused_scope;  // the issuer says invalid_scope when it is asked for
  std::int64_t expires_in = 300;
  std::string token_prefix = "at_";

  std::vector<SeenCall> calls;
  std::vector<FormFields> token_requests;
  std::vector<std::string> fetched;  // every URL
  std::string asked_scope;           // of the newest authorization, told by the person

  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime, std::stop_token) override {
    fetched.push_back(request.method + " " + uri.origin() + (request.target.empty() ? uri.target() : request.target));
    const std::string path = std::string(uri.path);
    if (uri.origin() + path == kServer) return mcp(request);
    if (path == "/.well-known/oauth-protected-resource/mcp") {
      return reply(200, Json::object({{"resource", resource},
                                      {"authorization_servers", Json::array({named_issuer})},
                                      {"scopes_supported", Json::array({"desk:read"})}}));
    }
    if (uri.origin() == kIssuer && path == "/.well-known/oauth-authorization-server")
      return reply(200, issuer_metadata());
    if (uri.origin() == kIssuer && path == "/token") return token(request);
    return reply(404, Json::object());
  }

  // The whole answer of send(), as if it came in one piece.
  Result<HttpResponse> open(const Uri& uri, const HttpRequest& request,
                            const std::function<bool(const HttpResponse&)>& on_head,
                            const std::function<bool(std::string_view)>& on_bytes, SteadyTime deadline,
                            std::stop_token stop) override {
    POSTERN_TRY(HttpResponse response, send(uri, request, deadline, std::move(stop)));
    const std::string body = std::move(response.body);
    response.body.clear();
    if (on_head(response) && !body.empty()) static_cast<void>(on_bytes(body));
    return response;
  }

 private:
  static Json issuer_metadata() {
    const std::string base = kIssuer;
    Json json = Json::object(
        {{"issuer", base}, {"authorization_endpoint", base + "/authorize"}, {"token_endpoint", base + "/token"}});
    json.set("jwks_uri", base + "/jwks").set("response_types_supported", Json::array({"code"}));
    json.set("code_challenge_methods_supported", Json::array({"S256"}));
    return json.set("authorization_response_iss_parameter_supported", true);
  }

  HttpResponse token(const HttpRequest& request) {
    token_requests.push_back(*form_decode(request.body));
    const std::string name = token_prefix + std::to_string(token_requests.size());
    scopes_[name] = *ScopeSet::parse(asked_scope);
    return reply(200, Json::object({{"access_token", name},
                                    {"token_type", "Bearer"},
                                    {"expires_in", expires_in},
                                    {"scope", asked_scope},
                                    {"name", "Rowan Diaz"}}));
  }

  Result<HttpResponse> mcp(const HttpRequest& request) {
    SeenCall seen{*parse_json(request.body), request.headers, {}};
    if (const std::string* header = request.headers.find("Authorization")) seen.token = header->substr(7);
    calls.push_back(seen);
    if (!gate_open) {
      const std::string where = "resource_metadata=\"" + metadata_url + "\"";
      if (seen.token.empty()) return challenged(401, "Bearer " + where + ", scope=\"desk:read\"");
      if (refuse_every_token) return challenged(401, "Bearer error=\"invalid_token\", " + where);
      const bool refund = seen.body.find("params")->string_at("name") == "issue_refund";
      const std::string needed = refund ? refund_scopes : scopes_for_all;
      if ((refund && refuse_scope_for_ever) || !scopes_[seen.token].contains_all(*ScopeSet::parse(needed))) {
        return challenged(403, "Bearer error=\"insufficient_scope\", scope=\"" + needed + "\", " + where);
      }
    }
    return handle(seen);
  }

  std::map<std::string, ScopeSet> scopes_;
};

inline HttpResponse result_for(const SeenCall& seen, Json result) {
  if (!result.has("resultType")) result.set("resultType", "complete");
  return reply(200, Json::object({{"jsonrpc", "2.0"}, {"id", *seen.body.find("id")}, {"result", std::move(result)}}));
}

inline HttpResponse error_for(const SeenCall& seen, std::int64_t code, std::string message, int status = 200) {
  Json error = Json::object({{"code", code}, {"message", std::move(message)}});
  return reply(status, Json::object({{"jsonrpc", "2.0"}, {"id", *seen.body.find("id")}, {"error", std::move(error)}}));
}

inline Json text_result(std::string text, bool is_error = false) {
  Json result = Json::object({{"content", Json::array({mcp::text_block(text)})}});
  if (is_error) result.set("isError", true);
  return result;
}

// Signs in at once, with the answer that a test wants.
class Person final : public UserAgent {
 public:
  explicit Person(Peers& peers) : peers_(peers) {}
  std::string iss = kIssuer;
  bool wrong_state = false;
  std::vector<FormFields> asked;

  Result<std::string> redirect_uri() override { return std::string("http://127.0.0.1/callback"); }
  Result<std::string> authorize(const Uri& authorization, std::stop_token) override {
    asked.push_back(*form_decode(authorization.query));
    const auto field = [&](const char* name) { return sole_field(asked.back(), name)->value_or(""); };
    peers_.asked_scope = field("scope");
    FormFields answer = {{"state", wrong_state ? "other" : field("state")}};
    const bool refuse = peers_.refused_scope && peers_.asked_scope.find(*peers_.refused_scope) != std::string::npos;
    if (refuse) {
      answer.emplace_back("error", "invalid_scope");
    } else {
      answer.emplace_back("code", "ac_code");
    }
    if (!iss.empty()) answer.emplace_back("iss", iss);
    return "http://127.0.0.1/callback?" + form_encode(answer);
  }

 private:
  Peers& peers_;
};

class Observed final : public CallObserver, public SignInObserver {
 public:
  std::vector<std::string> lines;
  void step_up(std::string_view tool, std::string_view scopes) override {
    lines.push_back("step up " + std::string(tool) + ": " + std::string(scopes));
  }
  void signed_in(std::string_view name, std::string_view scopes) override {
    lines.push_back("signed in " + std::string(name) + ": " + std::string(scopes));
  }
};

// Everything between a test and the pretended desk.
struct Bench {
  test::TestEnv env;
  Peers peers;
  Person person{peers};
  Observed observed;
  MemoryCredentialStore store;
  ClientRegistrar registrar{env.env(), peers, store, registration()};
  CodeGrant grant{env.env(), person};
  OAuthClient oauth{env.env(), peers, peers, registrar, grant, store, observed, options()};
  HttpTransport transport{env.env(), peers, oauth, *parse_uri(kServer)};
  Session session{env.env(), transport, session_options()};

  static ClientRegistrationOptions registration() {
    ClientRegistrationOptions options;
    options.registered.emplace();
    options.registered->issuer = kIssuer;
    options.registered->client_id = "postern-host";
    return options;
  }
  static OAuthClientOptions options() {
    OAuthClientOptions options;
    options.endpoint = *parse_uri(kServer);
    options.issuer = kIssuer;
    options.scopes_max = ScopeSet{"desk:read", "refunds:write"};
    return options;
  }
  static SessionOptions session_options() {
    SessionOptions options;
    options.client = {"postern", "0.1.0"};
    return options;
  }
};

inline pins::PinnedTool pinned(Json definition) {
  const mcp::Tool tool = *mcp::read_tool(definition);
  pins::PinFile file;
  file.tools.push_back({pins::pin_of(tool), tool.definition});
  return *pins::PinGate(std::move(file)).admit(tool);
}

inline pins::PinnedTool pinned_tool(std::string name, Json properties, Json output_schema = {}) {
  Json required = Json::array();
  for (const auto& [property, schema] : properties.members()) required.push(property);
  Json input =
      Json::object({{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}});
  input.set("additionalProperties", false);
  Json definition = Json::object({{"name", std::move(name)}, {"description", "d"}, {"inputSchema", std::move(input)}});
  if (!output_schema.is_null()) definition.set("outputSchema", std::move(output_schema));
  return pinned(std::move(definition));
}

inline Json string_schema() {
  return Json::object({{"type", "string"}});
}

}  // namespace postern::bridge::pretended
