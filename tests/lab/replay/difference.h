// The first difference between a recorded run and the same run played again, by its entry, its layer and its field.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "wire/base/json.h"

namespace postern::lab {

struct Difference {
  std::size_t entry = 0;  // of the recording, from 1; 0: of what was printed, or of the exit code
  std::string layer;      // "bytes", "envelope", "http", "schema", "model" or "own"
  std::string field;      // "headers.mcp-method", "body.params.arguments.amount_cents", "stdout line 2"
  std::string recorded;   // made visible and cut around the place
  std::string replayed;
  // "entry 12, http, headers.mcp-method: recorded "tools/call", replayed "tools/list"".
  [[nodiscard]] std::string text() const;
};

// Of two lines of a normalised log; nothing when they are the same, byte for byte.
[[nodiscard]] std::optional<Difference> difference_of(std::size_t entry, const Json& recorded, const Json& replayed);
// Of two texts that were printed: "stdout", "stderr".
[[nodiscard]] std::optional<Difference> difference_of_text(std::string_view name, std::string_view recorded,
                                                           std::string_view replayed);
// A line that the other side does not have.
[[nodiscard]] Difference one_too_few(std::size_t entry, const Json& recorded);
[[nodiscard]] Difference one_too_many(std::size_t entry, const Json& replayed);

}  // namespace postern::lab
