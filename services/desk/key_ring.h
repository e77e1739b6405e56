// The desk's key ring is the core's: services/mcp/key_ring.h.
#pragma once

#include "services/mcp/key_ring.h"

namespace postern::desk {

using mcp::KeyRing;

}  // namespace postern::desk
