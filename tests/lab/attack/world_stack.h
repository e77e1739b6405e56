// The product's stack as a whole world in one process: for the matrix of controls, where thousands are needed.
//
// What it cannot do is to send two calls at the same instant: that is not observable here. One thread.
#pragma once

#include <memory>
#include <string>

#include "tests/lab/attack/product_stack.h"
#include "tests/lab/world/control_set.h"
#include "wire/base/result.h"

namespace postern::lab {

struct WorldStackOptions {
  std::string folder;  // must exist, and holds nothing; it outlives the stack
  std::string seed = "attack";
  ControlSet controls{};
};

// Failures: those of LabWorld::make().
[[nodiscard]] Result<std::unique_ptr<ProductStack>> start_world_stack(WorldStackOptions options);

}  // namespace postern::lab
