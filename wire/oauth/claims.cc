#include "wire/oauth/claims.h"

#include <cmath>

namespace postern {
namespace {

constexpr double kYear10000 = 253402300800.0;

}  // namespace

Result<std::optional<WallTime>> numeric_date(const Json& claims, std::string_view name) {
  const Json* claim = claims.find(name);
  if (claim == nullptr) return std::optional<WallTime>();
  const auto seconds = claim->number();
  if (!seconds || !std::isfinite(*seconds) || *seconds < 0 || *seconds >= kYear10000) return MalformedClaim{name};
  return std::optional(WallTime(Milliseconds(static_cast<std::int64_t>(std::floor(*seconds * 1000.0)))));
}

std::vector<std::string> audience_of(const Json& claims) {
  const Json* aud = claims.find("aud");
  if (aud == nullptr) return {};
  if (const std::string* one = aud->string()) return {*one};
  std::vector<std::string> audience;
  for (const Json& entry : aud->elements()) {
    const std::string* text = entry.string();
    if (text == nullptr) return {};
    audience.push_back(*text);
  }
  return audience;
}

std::string MalformedClaim::text() const {
  return "The token's claim " + std::string(name) + " is not of its type.";
}

}  // namespace postern
