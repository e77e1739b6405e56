// Checks of the core's that a server's composer passes as tables: products pass them whole, the laboratory minus a row
// to see which attack that row stops.
#pragma once

#include <span>
#include <string_view>

#include "wire/mcp/headers.h"
#include "wire/oauth/scope.h"

namespace postern::mcp {

// Over HTTP: what the token grants against all that a row of the tables needs.
struct ScopeCheck {
  std::string_view name;  // "scope"
  bool (*holds)(const ScopeSet& granted, const ScopeSet& needed);
};
[[nodiscard]] std::span<const ScopeCheck> product_scope_checks();

struct ServerControls {
  std::span<const MirroredHeader> headers = mirrored_headers();
  std::span<const ScopeCheck> scope = product_scope_checks();
};

}  // namespace postern::mcp
