// What the desk tells those who watch it, on a listener of its own: not part of the MCP endpoint, and not for
// strangers.
//
// GET /healthz is 200 while the databases can be read and the key ring is where it was; else 503. Nothing more is said:
// the log of the process has the rest. Thread-safe; what it looks at must outlive it.
#pragma once

#include <string>
#include <utility>

#include "services/desk/desk_parts.h"
#include "wire/base/uri.h"
#include "wire/transport/http_server.h"

namespace postern::desk {

class Health {
 public:
  Health(const DeskParts& parts, std::string database_dir, std::string key_ring_file)
      : parts_(parts), database_dir_(std::move(database_dir)), key_ring_file_(std::move(key_ring_file)) {}

  [[nodiscard]] bool is_good() const;
  // For a listener at that origin, by its loopback names only. Figures for a collector can stand here later.
  [[nodiscard]] Routes routes(const Uri& origin) const;

 private:
  const DeskParts& parts_;
  std::string database_dir_;
  std::string key_ring_file_;
};

}  // namespace postern::desk
