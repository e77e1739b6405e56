// The synthetic world (fixtures/world) as records of customers, orders and returns.
//
// Ends the process on a broken fixture: it is part of the program. Payments reads its own share (services/payments).
#pragma once

#include "services/customers/customers.h"
#include "services/orders/orders.h"
#include "services/returns/returns.h"
#include "services/world/world.h"
#include "wire/base/result.h"

namespace postern::services {

[[nodiscard]] CustomersRecords customers_of(const World& world);
[[nodiscard]] OrdersRecords orders_of(const World& world);
[[nodiscard]] ReturnsRecords returns_of(const World& world);

// Fills those of the three databases that are empty, each in one transaction.
[[nodiscard]] Status seed_desk(const World& world, Customers& customers, Orders& orders, Returns& returns);

}  // namespace postern::services
