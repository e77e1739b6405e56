// Puts the desk together: services, controls, tools, and what is served where.
//
// Every control is an argument with the product's as the only value that the product's main passes; the lab passes a
// table minus a row. No flag, no environment variable, no `if` switches a control off.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "services/desk/caller_limits.h"
#include "services/desk/case_handles.h"
#include "services/desk/desk_parts.h"
#include "services/desk/health.h"
#include "services/desk/refund_checks.h"
#include "services/desk/request_state.h"
#include "services/gate/bearer_gate.h"
#include "services/gate/host_origin_check.h"
#include "services/gate/issuer_keys.h"
#include "services/gate/token_verifier.h"
#include "services/mcp/http_endpoint.h"
#include "services/mcp/older_era.h"
#include "services/mcp/server.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/transport/http_client.h"
#include "wire/transport/http_server.h"

namespace postern::desk {

inline constexpr std::string_view kServerName = "support-desk";
inline constexpr std::string_view kServerVersion = "0.1.0";

struct DeskControls {
  std::span<const services::HostOriginRow> host_origin = services::product_host_origin_rows();
  std::span<const services::TokenCheck> token = services::product_token_checks();
  std::span<const services::GateCheck> gate = services::product_gate_checks();
  mcp::ServerControls server{};
  std::span<const HandleKeyPart> handle_key = product_handle_key();
  std::span<const StateCheck> state = product_state_checks();
  std::span<const RefundCheck> refund = product_refund_checks();
};

// Where the records are, and with what the desk reads them.
struct StoreOptions {
  std::string database_dir;
  Json admitted;  // {"customers:read": SHA-256 in hex, ...}
  ReadCredentials credentials;
  bool seed = false;       // fill databases that are empty with the synthetic world
  bool throwaway = false;  // the databases end with this process: nothing waits for the disk
};
// A store whose credentials are made here: for commands that are their own parent (stdio, seed, show).
[[nodiscard]] StoreOptions own_store(Env env, std::string database_dir, bool seed);

struct HttpDeskOptions {
  StoreOptions store;
  std::string issuer;
  std::string resource;  // the canonical URI of the MCP endpoint: "http://127.0.0.1:8931/mcp"
  Uri approvals_url;
  Uri payments_url;
  std::string page_origin;
  std::string key_ring_file;
  services::ServiceCredential approvals;  // approvals:request
  services::PaymentsCredentials payments;
  bool older_era = false;  // answer clients that open with `initialize` too: read tools only
  CallerLimitOptions limits;
};

// Clients towards the issuer and towards our own services; they must outlive the desk.
struct DeskClients {
  HttpClient& issuer;
  HttpClient& services;
};

// What a composer may put around a part of the desk; the product puts nothing. Each gets the part and gives what stands
// in its place; null: the part itself.
struct DeskDecorators {
  std::function<std::unique_ptr<services::ApprovalsClient>(std::unique_ptr<services::ApprovalsClient>)> approvals;
  std::function<std::unique_ptr<services::PaymentsClient>(std::unique_ptr<services::PaymentsClient>)> payments;
  // The tools and what the desk says of itself, before its server is made.
  std::function<void(mcp::ServerFeatures&)> features;
};

// The desk over HTTP.
class HttpDesk {
 public:
  // Failures: store.*, service.bad_admission, own.bad_key_ring, own.bad_launch_document, mcp.bad_features.
  [[nodiscard]] static Result<std::unique_ptr<HttpDesk>> compose(Env env, HttpDeskOptions options, DeskClients clients,
                                                                 const DeskControls& controls = {},
                                                                 const DeskDecorators& decorators = {});
  HttpDesk(const HttpDesk&) = delete;
  HttpDesk& operator=(const HttpDesk&) = delete;
  // Host and Origin check, /mcp behind the gate, the resource's metadata (RFC 9728). The desk must outlive them.
  [[nodiscard]] Routes routes();
  // For a listener of its own. The desk must outlive it.
  [[nodiscard]] const Health& health() const { return *health_; }
  // Every subscription gets its closing result: last words, for when the server drains.
  void end_subscriptions() const { server_->subscriptions().end_all(); }

 private:
  HttpDesk(DeskParts parts, const DeskControls& controls) : parts_(std::move(parts)), controls_(controls) {}
  [[nodiscard]] HttpReply on_mcp(const HttpRequest& request);
  [[nodiscard]] HttpResponse refuse(const Failure& failure) const;
  [[nodiscard]] HttpResponse refuse_bearer(const std::string& address, const Failure& failure);

  DeskParts parts_;  // the tools point here
  DeskControls controls_;
  Uri resource_uri_;
  std::string resource_;
  std::string metadata_url_;
  std::string metadata_;
  std::unique_ptr<CallerLimits> limits_;  // the server asks it
  std::unique_ptr<Health> health_;
  std::unique_ptr<mcp::Server> server_;
  std::unique_ptr<mcp::OlderEra> older_era_;  // null: not configured
  std::unique_ptr<mcp::HttpEndpoint> endpoint_;
  std::unique_ptr<services::IssuerKeys> keys_;
  std::unique_ptr<services::BearerGate> gate_;
};

// The desk over stdio: read tools only, for one ticket.
class StdioDesk {
 public:
  [[nodiscard]] static Result<std::unique_ptr<StdioDesk>> compose(Env env, const StoreOptions& store,
                                                                  std::string ticket_id, bool older_era = false);
  StdioDesk(const StdioDesk&) = delete;
  StdioDesk& operator=(const StdioDesk&) = delete;
  // Who may be its caller: a person of the desks. `customers.no_such_person`.
  [[nodiscard]] Status admit(const std::string& person) const;
  [[nodiscard]] const mcp::Server& server() const { return *server_; }
  // Null unless it was asked for.
  [[nodiscard]] mcp::OlderEra* older_era() const { return older_era_.get(); }

 private:
  explicit StdioDesk(DeskParts parts) : parts_(std::move(parts)) {}
  DeskParts parts_;
  std::unique_ptr<CallerLimits> limits_;  // the server asks it
  std::unique_ptr<mcp::Server> server_;
  std::unique_ptr<mcp::OlderEra> older_era_;
};

// The three services of a store, opened; seeded when the options say so.
[[nodiscard]] Result<DeskParts> open_store(Env env, const StoreOptions& store,
                                           std::span<const HandleKeyPart> handle_key);

}  // namespace postern::desk
