// Puts postern-approvals together: store, page, signing key, and what is served on which of its two sockets.
//
// Every control is an argument with the product's as the only value that the product's main passes; the lab passes a
// table minus a row. Nothing runs by itself: watch() starts the thread that settles, settle() is one round by hand.
// Thread-safe but for api_routes().
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "services/approvals/approval_store.h"
#include "services/approvals/controls.h"
#include "services/approvals/desk_services.h"
#include "services/approvals/internal_api.h"
#include "services/approvals/money_state.h"
#include "services/approvals/page_session.h"
#include "services/approvals/settlement.h"
#include "services/approvals/sign_in.h"
#include "services/gate/bearer_gate.h"
#include "services/gate/issuer_keys.h"
#include "services/payments_client/payments_client.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/transport/http_client.h"
#include "wire/transport/http_server.h"

namespace postern::approvals {

struct ApprovalsOptions {
  std::string database_dir;
  SigningSeed signing_seed;
  Json admitted;  // {"approvals:request": SHA-256 in hex, ...}
  services::ServiceCredential customers_read;
  services::ServiceCredential orders_read;
  services::ServiceCredential returns_read;
  services::ServiceCredential payments_read;
  std::string desk_database_dir;
  std::string payments_url;
  std::string page_origin;
  std::string page_resource;
  std::string page_client_id;
  std::string issuer;
  std::int64_t request_minutes = 15;
};

// They must outlive the server.
struct ApprovalsClients {
  HttpClient& issuer;
  HttpClient& payments;
};

class ApprovalsServer {
 public:
  // Failures: uri.malformed, store.*, service.bad_admission, own.bad_launch_document, own.file_failed.
  [[nodiscard]] static Result<std::unique_ptr<ApprovalsServer>> compose(Env env, ApprovalsOptions options,
                                                                        ApprovalsClients clients,
                                                                        const ApprovalsControls& controls = {});
  ~ApprovalsServer();
  ApprovalsServer(const ApprovalsServer&) = delete;
  ApprovalsServer& operator=(const ApprovalsServer&) = delete;

  // The page that people open. This object must outlive them.
  [[nodiscard]] Routes page_routes();
  [[nodiscard]] static HttpLimits page_limits();
  // What the desk asks, for whoever names that host ("127.0.0.1:8933"). This object must outlive them. Once.
  [[nodiscard]] Routes api_routes(std::string authority);
  [[nodiscard]] static HttpLimits api_limits();
  // One round of writing down what happened without anybody pressing anything.
  void settle();
  // The same each two seconds, until it is destroyed; before this object.
  [[nodiscard]] std::unique_ptr<SettlementWatch> watch();

 private:
  struct Parts;
  explicit ApprovalsServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace postern::approvals
