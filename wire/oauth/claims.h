// The registered claims of a JWT (RFC 7519 section 4.1), read strictly.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern {

// How far the clocks of issuer and verifier may differ, for exp, nbf and auth_time.
inline constexpr Seconds kClockSkewMax{5};

// A NumericDate, which may have a fraction. Nothing when the claim is absent; `oauth.malformed_claim` when it is no
// number, or not between the years 1970 and 9999.
[[nodiscard]] Result<std::optional<WallTime>> numeric_date(const Json& claims, std::string_view name);

// aud as a list: a string or an array of strings. Empty when it is absent or of another form.
[[nodiscard]] std::vector<std::string> audience_of(const Json& claims);

struct MalformedClaim {
  static constexpr std::string_view kId = "oauth.malformed_claim";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kInvalidToken;
  std::string_view name;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
