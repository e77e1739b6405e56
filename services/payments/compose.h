// Puts postern-payments together: the launch document, the database, and what is served.
//
// Thread-safe once it is made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "services/payments/payments.h"
#include "services/payments/payments_api.h"
#include "wire/base/ed25519.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/env/env.h"
#include "wire/transport/http_server.h"

namespace postern::payments {

// The launch document of `postern-payments serve` (wire/transport/launch.h).
struct ServeOptions {
  std::string database_dir;
  Ed25519PublicKey approval_key;
  Json admitted;  // {"payments:refund": SHA-256 in hex, ...}
  bool seed = false;
  std::uint16_t port = 0;  // when no socket is handed down
};
// own.bad_launch_document names the first member that is wrong.
[[nodiscard]] Result<ServeOptions> read_launch_document(const Json& document);

class PaymentsServer {
 public:
  // Failures: store.*, service.bad_admission, own.file_failed.
  [[nodiscard]] static Result<std::unique_ptr<PaymentsServer>> compose(Env env, ServeOptions options,
                                                                       const PaymentsControls& controls = {});
  PaymentsServer(const PaymentsServer&) = delete;
  PaymentsServer& operator=(const PaymentsServer&) = delete;

  // For whoever names that host ("127.0.0.1:8934"). This object must outlive them.
  [[nodiscard]] Routes routes_at(std::string authority) const { return api_.routes_at(std::move(authority)); }

 private:
  PaymentsServer(std::unique_ptr<Payments> payments, services::ServiceAdmission admission)
      : payments_(std::move(payments)), api_(*payments_, std::move(admission)) {}

  std::unique_ptr<Payments> payments_;
  PaymentsApi api_;
};

}  // namespace postern::payments
