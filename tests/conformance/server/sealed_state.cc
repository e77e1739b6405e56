#include "tests/conformance/server/sealed_state.h"

#include "wire/base/bytes.h"
#include "wire/base/digest.h"

namespace postern::conformance {

StateSeal::StateSeal(RandomSource& random) : random_(random), key_(random_bytes(random, 32)) {}

std::string StateSeal::seal(std::string_view step) const {
  const std::string text = base64url(random_token(random_, std::string(step) + " ", 12));
  return text + "." + base64url(hmac_sha256(key_, text));
}

std::optional<std::string> StateSeal::open(std::string_view sealed) const {
  const std::size_t point = sealed.find('.');
  if (point == sealed.npos) return std::nullopt;
  const std::string_view text = sealed.substr(0, point);
  if (sealed.substr(point + 1) != base64url(hmac_sha256(key_, text))) return std::nullopt;
  const auto opened = base64url_decode(text);
  if (!opened) return std::nullopt;
  return opened->substr(0, opened->find(' '));
}

}  // namespace postern::conformance
