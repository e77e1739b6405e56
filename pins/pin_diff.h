// A changed definition, shown to a reviewer: each field with its verdict, text line by line, hidden characters spelled
// out. Without state.
#pragma once

#include <string>

#include "pins/pin_file.h"
#include "wire/mcp/types.h"

namespace postern::pins {

struct PinDiff {
  std::string text;  // lines for stdout, as in `postern pins diff`
  bool differs = false;
};

// `reviewed` null: a new tool. `served` null: a removed one. REQUIRES one of them.
[[nodiscard]] PinDiff diff_of(const ReviewedTool* reviewed, const mcp::Tool* served);

}  // namespace postern::pins
