// How a service with a database file of its own is opened.
#pragma once

#include <string>

#include "wire/base/json.h"

namespace postern::services {

struct ServiceOptions {
  std::string database_dir;
  Json admitted;  // of the launch document: {"customers:read": SHA-256 in hex, ...}; entries of other services are fine
  std::string caller;  // who uses the service within this process, for the downstream log: "postern-desk"
  // The databases end with the process (a fresh world in a temporary folder): nothing waits for the disk.
  bool throwaway = false;
};

}  // namespace postern::services
