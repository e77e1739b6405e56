// An issuer's key and the tokens that it signs, good or bad, for the tests of the gate.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "tests/support/manual_clock.h"
#include "wire/base/bytes.h"
#include "wire/oauth/jwk.h"
#include "wire/signing/es256_signer.h"

namespace postern::test {

inline constexpr const char* kGateIssuer = "http://127.0.0.1:8930";
inline constexpr const char* kGateResource = "http://127.0.0.1:8931/mcp";

class SignedTokens {
 public:
  explicit SignedTokens(const Clock& clock, std::string kid = "k1") : clock_(clock), kid_(std::move(kid)) {}

  [[nodiscard]] Json claims() const {
    const std::int64_t now = unix_seconds(clock_.now());
    return Json::object({{"iss", kGateIssuer},
                         {"sub", "rowan"},
                         {"aud", kGateResource},
                         {"client_id", "postern-host"},
                         {"scope", "desk:read"},
                         {"iat", now},
                         {"exp", now + 300},
                         {"auth_time", now - 20},
                         {"name", "Rowan Diaz"}});
  }
  [[nodiscard]] Json header() const { return Json::object({{"alg", "ES256"}, {"typ", "at+jwt"}, {"kid", kid_}}); }
  [[nodiscard]] std::string token() const { return sign(header(), claims()); }
  [[nodiscard]] std::string sign(const Json& header, const Json& claims) const {
    return signer_.compact_jws(header, claims);
  }
  // With one claim changed.
  [[nodiscard]] std::string token_with(const char* name, const Json& value) const {
    Json changed = claims();
    changed.set(name, value);
    return sign(header(), changed);
  }
  [[nodiscard]] std::string token_without(const char* name) const {
    Json changed = claims();
    changed.erase(name);
    return sign(header(), changed);
  }
  // A payload that need not be JSON of ours.
  [[nodiscard]] std::string token_of_text(std::string_view payload) const {
    const std::string text = base64url(header().dump()) + "." + base64url(payload);
    return text + "." + base64url(signer_.sign(text));
  }
  [[nodiscard]] Json jwk() const { return signer_.public_jwk(kid_); }
  [[nodiscard]] Json jwk_set() const { return Json::object({{"keys", Json::array({jwk()})}}); }

 private:
  const Clock& clock_;
  std::string kid_;
  Es256Signer signer_ = Es256Signer::generate();
};

}  // namespace postern::test
