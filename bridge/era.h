// Eras: the revisions that a server may be spoken to in (MCP 2026-07-28 basic/versioning).
#pragma once

namespace postern::bridge {

// What the configuration allows.
enum class EraChoice {
  kPin,    // 2026-07-28 or nothing
  kAuto,   // 2026-07-28; 2025-11-25 with a server that gives no recognised answer to it
  kLegacy  // 2025-11-25 only
};

}  // namespace postern::bridge
