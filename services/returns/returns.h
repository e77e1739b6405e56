// Refund policies, and which one applies to a ticket. Its own file, returns.sqlite.
//
// Every method admits the credential of returns:read and no other, and leaves a line in the downstream log.
// Thread-safe. The limit that counts is payments' own copy; what stands here is what people and models read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "services/domain/ids.h"
#include "services/domain/service_options.h"
#include "services/service_authentication/service_credential.h"
#include "wire/base/money.h"
#include "wire/base/result.h"
#include "wire/env/env.h"

namespace postern::services {

struct RefundPolicy {
  PolicyId policy_id;
  Money limit;                   // for all refunds of one ticket together; a refund in another currency is refused
  std::int64_t window_days = 0;  // from delivery
  std::string text;
};

struct ReturnsRecords {  // what a seed fills in
  std::vector<RefundPolicy> policies;
  std::vector<std::pair<TicketId, PolicyId>> applies;
};

class Returns {
 public:
  // `env` must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<Returns>> open(Env env, ServiceOptions options);
  ~Returns();

  // `returns.no_policy`, service.foreign_credential, store.*.
  [[nodiscard]] Result<RefundPolicy> policy_of_ticket(const ServiceCredential& credential, const TicketId& id) const;
  [[nodiscard]] Result<RefundPolicy> policy(const ServiceCredential& credential, const PolicyId& id) const;

  // Fills an empty database in one transaction; leaves one that holds a policy already as it is. For whoever starts the
  // service.
  [[nodiscard]] Status fill_if_empty(const ReturnsRecords& records);
  [[nodiscard]] Result<bool> is_empty() const;

 private:
  struct Impl;
  explicit Returns(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct NoPolicy {
  static constexpr std::string_view kId = "returns.no_policy";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kNotFound;
  std::string subject;  // the ticket or policy that was asked for
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::services
