#include "wire/oauth/jws.h"

#include <algorithm>

#include "wire/base/bytes.h"
#include "wire/http_message/http_message.h"

namespace postern {
namespace {

constexpr std::size_t kTokenBytesMax = 8192;
constexpr std::size_t kHeaderBytesMax = 2048;

// What would let a token bring its own key, or change how it is read.
constexpr std::string_view kRefusedParameters[] = {"jwk", "jku", "x5u", "x5c", "crit", "b64"};

Status check_header(const Json& header) {
  if (header.string_at("alg") != "ES256") return JwsHeaderRefused{"its alg is not ES256"};
  for (const std::string_view name : kRefusedParameters) {
    if (header.has(name)) return JwsHeaderRefused{"it carries the parameter " + std::string(name)};
  }
  if (header.string_at("kid").empty()) return JwsHeaderRefused{"it names no key (kid)"};
  return {};
}

}  // namespace

Result<CompactJws> CompactJws::split(std::string_view token) {
  if (token.size() > kTokenBytesMax)
    return MalformedJws{"it is longer than " + std::to_string(kTokenBytesMax) + " bytes"};
  const std::size_t first = token.find('.');
  const std::size_t second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos) {
    return MalformedJws{"it does not have three parts"};
  }
  const auto header = base64url_decode(token.substr(0, first));
  auto payload = base64url_decode(token.substr(first + 1, second - first - 1));
  auto signature = base64url_decode(token.substr(second + 1));
  if (!header || !payload || !signature) return MalformedJws{"a part is not base64url"};
  auto parsed = parse_json(*header, {kHeaderBytesMax, 8});
  if (!parsed || !parsed->is_object()) return MalformedJws{"its header is not a JSON object"};
  CompactJws jws;
  jws.header_ = *std::move(parsed);
  jws.payload_ = *std::move(payload);
  jws.signed_text_ = token.substr(0, second);
  jws.signature_ = *std::move(signature);
  return jws;
}

Status CompactJws::verify(const JwkSet& keys) const {
  POSTERN_TRY_VOID(check_header(header_));
  const Jwk* jwk = keys.find(key_id());
  if (jwk == nullptr) return JwsUnknownKey{};
  if (!jwk->key.verify_es256(signed_text_, signature_)) return JwsBadSignature{};
  return {};
}

bool CompactJws::has_type(std::string_view type) const {
  constexpr std::string_view kPrefix = "application/";
  std::string_view typ = header_.string_at("typ");
  if (typ.size() > kPrefix.size() && equal_ignoring_case(typ.substr(0, kPrefix.size()), kPrefix)) {
    typ.remove_prefix(kPrefix.size());
  }
  return equal_ignoring_case(typ, type);
}

std::string MalformedJws::text() const {
  return "The token is not a signed token: " + reason + ".";
}
std::string JwsHeaderRefused::text() const {
  return "The token's header is refused: " + reason + ".";
}
std::string JwsUnknownKey::text() const {
  return "The token is signed with a key that the issuer does not publish.";
}
std::string JwsBadSignature::text() const {
  return "The token's signature does not verify.";
}

}  // namespace postern
