#include "bridge/oauth/dpop_key.h"

#include <algorithm>
#include <utility>

#include "wire/base/bytes.h"
#include "wire/base/digest.h"
#include "wire/oauth/challenge.h"

namespace postern::bridge {
namespace {

constexpr JsonBounds kErrorBounds{16 * 1024, 8};
constexpr std::size_t kNonceBytesMax = 1024;

// NQCHAR of RFC 6749 appendix A, as RFC 9449 section 8.1 has a nonce.
bool is_nonce(std::string_view text) {
  return !text.empty() && text.size() <= kNonceBytesMax && std::all_of(text.begin(), text.end(), [](char c) {
    return c == '!' || (c >= '#' && c <= '[') || (c >= ']' && c <= '~');
  });
}

// An authorization server says it in the body of a 400 (section 8), a resource in the challenge of a 401 (section 9).
bool wants_nonce(const HttpResponse& response) {
  if (response.status == 401) {
    for (const std::string_view value : response.headers.all("WWW-Authenticate")) {
      const auto challenges = parse_challenges(value);
      if (!challenges) continue;
      for (const AuthChallenge& challenge : *challenges) {
        const std::string* error = challenge.find("error");
        if (equal_ignoring_case(challenge.scheme, "DPoP") && error != nullptr && *error == "use_dpop_nonce")
          return true;
      }
    }
  }
  if (response.status != 400 && response.status != 401) return false;
  const auto json = parse_json(response.body, kErrorBounds);
  return json && json->string_at("error") == "use_dpop_nonce";
}

}  // namespace

DpopKey::DpopKey(Env env) : env_(env), key_(Es256Signer::generate()) {}

std::string DpopKey::proof(const std::string& method, const Uri& url, std::string_view token_hash) {
  Json jwk = key_.public_point();
  const Json header = Json::object({{"typ", "dpop+jwt"}, {"alg", "ES256"}, {"jwk", std::move(jwk)}});
  // Section 4.2: htu is the URL without query and fragment.
  Json claims = Json::object({{"jti", random_token(env_.random, "", 16)},
                              {"htm", method},
                              {"htu", url.origin() + url.path},
                              {"iat", unix_seconds(env_.clock.now())}});
  if (!token_hash.empty()) claims.set("ath", token_hash);
  {
    const MutexLock lock(mutex_);
    const auto nonce = nonces_.find(url.origin());
    if (nonce != nonces_.end()) claims.set("nonce", nonce->second);
  }
  return key_.compact_jws(header, claims);
}

void DpopKey::prove(HttpRequest& request, const Uri& url) {
  request.headers.set("DPoP", proof(request.method, url, ""));
}

void DpopKey::authorize(HttpRequest& request, const Uri& url, const AccessToken& token) {
  const std::string_view text = token.reveal(Passkey<DpopKey>{});
  std::string value = "DPoP ";
  value += text;
  request.headers.set("Authorization", std::move(value));
  request.headers.set("DPoP", proof(request.method, url, base64url(sha256(text))));
}

bool DpopKey::take_note(const Uri& url, const HttpResponse& response) {
  const auto nonce = response.headers.sole("DPoP-Nonce");
  if (!nonce || *nonce == nullptr || !is_nonce(**nonce)) return false;
  {
    const MutexLock lock(mutex_);
    nonces_.insert_or_assign(url.origin(), **nonce);
  }
  return wants_nonce(response);
}

std::string jwk_thumbprint(const Json& public_key) {
  // The required members in the order of their names, without white space.
  const Json members = Json::object({{"crv", public_key.string_at("crv")},
                                     {"kty", public_key.string_at("kty")},
                                     {"x", public_key.string_at("x")},
                                     {"y", public_key.string_at("y")}});
  return base64url(sha256(members.dump()));
}

}  // namespace postern::bridge
