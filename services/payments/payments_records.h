// Payments' share of the synthetic world: the limits of the policies, and what was refunded before.
#pragma once

#include "services/payments/payments.h"
#include "services/world/world.h"

namespace postern::payments {

// Ends the process on a broken fixture: it is part of the program.
[[nodiscard]] PaymentsRecords records_of(const services::World& world);

}  // namespace postern::payments
