// The core of an MCP server of revision 2026-07-28: from one JSON-RPC request to one answer.
//
// It keeps nothing between requests: each says its version and its capabilities for itself, and continuity is a handle
// that a tool gives and takes. The checks run in this order: era, _meta, headers against the body, version, method, row
// of the table, scope, Mcp-Param-*, client capability, limit of the caller, input schema; then the handler, with a
// deadline. The two transports (http_endpoint.h, stdio_server.h) share all of it.
//
// Thread-safe. The tables are immutable; update() puts new ones in their place, and a request that was accepted keeps
// those that it was accepted with.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "services/gate/principal.h"
#include "services/mcp/answer.h"
#include "services/mcp/extension.h"
#include "services/mcp/server_controls.h"
#include "services/mcp/server_features.h"
#include "services/mcp/subscriptions.h"
#include "wire/base/mutex.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"
#include "wire/jsonrpc/message.h"
#include "wire/oauth/scope.h"

namespace postern::mcp {

// Who calls, and what came beside the body.
struct RequestContext {
  std::shared_ptr<const services::Principal> principal;
  // Over HTTP: what the token grants, and the headers of the request; valid during accept(). Both null over stdio.
  const ScopeSet* granted = nullptr;
  const HeaderList* headers = nullptr;
  std::optional<WallTime> expires_at;  // of the token
};

class Catalog;
class DeadlineWatch;

// How a request is carried out.
struct RunContext {
  bool may_block = true;
  std::stop_token stop;
  Outlet* outlet = nullptr;  // where notifications go; null: nowhere
};

// A request that passed every check, ready to be carried out. Copyable; the Server must outlive it.
class PreparedRequest {
 public:
  using Run = std::function<std::optional<Answer>(const RunContext&)>;
  PreparedRequest(Lane lane, Run run) : lane_(lane), run_(std::move(run)) {}
  static PreparedRequest of(Answer answer) {
    return {Lane::kLoop, [answer = std::move(answer)](const RunContext&) { return std::optional(answer); }};
  }
  // Where run() belongs when it is called over HTTP.
  [[nodiscard]] Lane lane() const { return lane_; }
  // It may send notifications before its answer: over HTTP the answer is an event stream, and the lane is kBlocking.
  [[nodiscard]] bool notifies() const { return notifies_; }
  // Nothing when `may_block` is false and the work has to wait: run it again where it may.
  [[nodiscard]] std::optional<Answer> run(const RunContext& context = {}) const { return run_(context); }

 private:
  friend class Server;
  Lane lane_;
  bool notifies_ = false;
  Run run_;
};

// A request to carry out, or a subscription for the transport to open with subscriptions().
using Accepted = std::variant<PreparedRequest, PreparedListen>;

class Server {
 public:
  // Compiles the schemas and looks at the tables: `mcp.bad_features` names the row that cannot be served. `env` must
  // outlive it.
  [[nodiscard]] static Result<std::unique_ptr<Server>> make(Env env, ServerFeatures features,
                                                            SubscriptionLimits limits = {},
                                                            ServerControls controls = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Failures: mcp.unsupported_version, mcp.malformed_params, mcp.header_mismatch, mcp.unknown_method,
  // token.insufficient_scope, mcp.missing_client_capability. A failure of the method itself (an unknown tool, arguments
  // that are not valid) is an answer.
  [[nodiscard]] Result<Accepted> accept(const JsonRpcRequest& request, const RequestContext& context) const;

  // For a message of a caller that accept() was not asked about, or has refused: the limit of its caller all the same,
  // by ServerFeatures::admit_request.
  [[nodiscard]] Status admit(const services::Principal& principal) const;

  // New tables. Listeners are told of each list whose text is another one. `mcp.bad_features`, and nothing changes.
  [[nodiscard]] Status update(ServerFeatures features);

  [[nodiscard]] Subscriptions& subscriptions() const { return *subscriptions_; }
  // The tables as they are now, for an OlderEra.
  [[nodiscard]] std::shared_ptr<const Catalog> catalog() const;

 private:
  struct Incoming;  // a request with what accept() knows of it
  // One row a method: the table that decides what this server speaks.
  struct Method {
    std::string_view name;
    Result<Accepted> (Server::*prepare)(Incoming&) const;
  };
  static const Method kMethods[];

  Server(Env env, SubscriptionLimits limits, ServerControls controls);
  [[nodiscard]] Result<Accepted> discover(Incoming&) const;
  [[nodiscard]] Result<Accepted> list_tools(Incoming&) const;
  [[nodiscard]] Result<Accepted> call_tool(Incoming&) const;
  [[nodiscard]] Result<Accepted> list_resources(Incoming&) const;
  [[nodiscard]] Result<Accepted> list_resource_templates(Incoming&) const;
  [[nodiscard]] Result<Accepted> read_resource(Incoming&) const;
  [[nodiscard]] Result<Accepted> list_prompts(Incoming&) const;
  [[nodiscard]] Result<Accepted> get_prompt(Incoming&) const;
  [[nodiscard]] Result<Accepted> complete(Incoming&) const;
  [[nodiscard]] Result<Accepted> listen(Incoming&) const;
  [[nodiscard]] Result<Accepted> extension_method(Incoming&, const ExtensionMethod&) const;

  [[nodiscard]] Result<Accepted> list_page(Incoming&, const class ListPages& pages) const;
  // `work` gets what is common to all calls, within the deadline of its row.
  struct Job;
  [[nodiscard]] PreparedRequest prepare(Incoming&, Job job) const;

  Env env_;
  ServerControls controls_;
  std::unique_ptr<Subscriptions> subscriptions_;
  std::unique_ptr<DeadlineWatch> deadlines_;
  mutable Mutex mutex_;
  std::shared_ptr<const Catalog> catalog_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace postern::mcp
