// The two interfaces of the page over the desk's own services, each asked with its own reading credential.
#pragma once

#include <memory>
#include <string>

#include "services/approvals/case_facts.h"
#include "services/approvals/desk_staff.h"
#include "services/customers/customers.h"
#include "services/orders/orders.h"
#include "services/returns/returns.h"

namespace postern::approvals {

struct DeskServices {
  std::unique_ptr<services::Customers> customers;
  std::unique_ptr<services::Orders> orders;
  std::unique_ptr<services::Returns> returns;
  services::ServiceCredential customers_read;
  services::ServiceCredential orders_read;
  services::ServiceCredential returns_read;
};

// Both refer to `desk`, which must outlive them.
class ServiceDeskStaff final : public DeskStaff {
 public:
  explicit ServiceDeskStaff(const DeskServices& desk) : desk_(desk) {}
  Result<std::optional<StaffMember>> find(const std::string& subject) const override;

 private:
  const DeskServices& desk_;
};

class ServiceCaseFacts final : public CaseFacts {
 public:
  explicit ServiceCaseFacts(const DeskServices& desk) : desk_(desk) {}
  Result<CaseView> read(const services::RefundAction& action) const override;

 private:
  const DeskServices& desk_;
};

}  // namespace postern::approvals
