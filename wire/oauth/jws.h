// Compact JWS (RFC 7515), read: ES256 only. Signing is in wire/signing.
//
// split() decodes strictly and looks at nothing but the form; verify() applies the header rules, picks the key by kid
// and checks the signature over the raw bytes. What the payload says is nobody's claim before verify() succeeded, so
// payload() is raw text that the caller parses afterwards. Immutable, thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/oauth/jwk.h"

namespace postern {

class CompactJws {
 public:
  // Three parts of canonical base64url, at most 8192 bytes, the first a JSON object. `oauth.malformed_jws`.
  [[nodiscard]] static Result<CompactJws> split(std::string_view token);

  // alg must be ES256 (RFC 8725 section 3.1), kid must be there, and no parameter may bring a key or change the
  // meaning: jwk, jku, x5u, x5c, crit and b64 are refused. Failures: oauth.jws_header_refused, oauth.jws_unknown_key,
  // oauth.jws_bad_signature.
  [[nodiscard]] Status verify(const JwkSet& keys) const;

  [[nodiscard]] const Json& header() const { return header_; }
  // Empty when absent or no string.
  [[nodiscard]] std::string_view key_id() const { return header_.string_at("kid"); }
  // typ names that media type, "application/" left out or not, in any case (RFC 7515 section 4.1.9).
  [[nodiscard]] bool has_type(std::string_view type) const;
  [[nodiscard]] const std::string& payload() const { return payload_; }

 private:
  CompactJws() = default;
  Json header_;
  std::string payload_;
  std::string signed_text_;  // the first two parts with the dot between them, as they came
  std::string signature_;
};

struct MalformedJws {
  static constexpr std::string_view kId = "oauth.malformed_jws";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kInvalidToken;
  std::string reason;
  [[nodiscard]] std::string text() const;
};
struct JwsHeaderRefused {
  static constexpr std::string_view kId = "oauth.jws_header_refused";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kInvalidToken;
  std::string reason;
  [[nodiscard]] std::string text() const;
};
// No key of the set has that kid: whoever keeps the set may fetch it anew and try once more.
struct JwsUnknownKey {
  static constexpr std::string_view kId = "oauth.jws_unknown_key";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kInvalidToken;
  [[nodiscard]] std::string text() const;
};
struct JwsBadSignature {
  static constexpr std::string_view kId = "oauth.jws_bad_signature";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kInvalidToken;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
