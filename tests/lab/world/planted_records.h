// The records of the synthetic world with texts of somebody's choice in place of some: what customers and carriers
// wrote, and other fields that a model reads.
#pragma once

#include <string>

#include "services/customers/customers.h"
#include "services/orders/orders.h"
#include "services/returns/returns.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::lab {

struct DeskRecords {
  services::CustomersRecords customers;
  services::OrdersRecords orders;
  services::ReturnsRecords returns;
};

// {"T-3090": {"page": "...", "ticket_text": "...", "ticket_subject": "...", "customer_name": "...", "line_title":
// "...", "policy_text": "..."}}: the line is the order's first one; a policy is every ticket's that it applies to.
// lab.bad_planting.
[[nodiscard]] Status plant(const Json& planted, DeskRecords& records);

struct BadPlanting {
  static constexpr std::string_view kId = "lab.bad_planting";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string reason;
  [[nodiscard]] std::string text() const { return "What is to be planted cannot be: " + reason + "."; }
};

}  // namespace postern::lab
