// The launch document of `postern-approvals serve` (wire/transport/launch.h), read strictly.
#pragma once

#include <cstdint>

#include "services/approvals/compose.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::approvals {

struct ServeOptions {
  ApprovalsOptions approvals;
  std::uint16_t page_port = 0;  // when no sockets are handed down
  std::uint16_t port = 0;
};

// own.bad_launch_document names the first member that is wrong.
[[nodiscard]] Result<ServeOptions> read_launch_document(const Json& document);

}  // namespace postern::approvals
