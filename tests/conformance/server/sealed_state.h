// The request state of the fixtures that carry one (MCP 2026-07-28 basic/patterns/mrtr, "Security considerations"):
//
//   base64url(text) "." base64url(HMAC-SHA-256)      `text` names the step, and is followed by a random part
//
// The key is of this process. It binds neither caller nor time nor arguments, as the desk's own states do: these
// fixtures decide nothing. Immutable, thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/base/random_source.h"

namespace postern::conformance {

class StateSeal {
 public:
  // `random` must outlive it.
  explicit StateSeal(RandomSource& random);
  // A new text each time.
  [[nodiscard]] std::string seal(std::string_view step) const;
  // The step, or nothing when it was not sealed here as it is.
  [[nodiscard]] std::optional<std::string> open(std::string_view sealed) const;

 private:
  RandomSource& random_;
  std::string key_;
};

}  // namespace postern::conformance
