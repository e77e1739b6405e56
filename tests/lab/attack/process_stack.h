// The product's own stack as child processes over real HTTP, with what attacks need around it: relays in front of
// payments and approvals, a second desk on the same store, and an issuer that also signs what it would not issue.
//
// Everything listens on 127.0.0.1 only. The issuer is the product's composition in postern-lab (`part issuer`); the
// desk, payments and approvals are the product's programs, except those that have controls removed: these are
// `postern-lab part NAME`. Owns its children and its folder, which ends with it. One thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/lab/attack/product_stack.h"
#include "wire/base/result.h"

namespace postern::lab {

struct ProcessStackOptions {
  std::string program_folder;
  std::vector<std::string> controls_removed;
};
// Failures: lab.attack_failed with the program's last words, transport.*, own.file_failed.
[[nodiscard]] Result<std::unique_ptr<ProductStack>> start_process_stack(const ProcessStackOptions& options);

}  // namespace postern::lab
