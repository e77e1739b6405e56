#include "services/gate/bearer_gate.h"

#include <deque>
#include <unordered_map>

#include "wire/base/digest.h"
#include "wire/base/mutex.h"
#include "wire/oauth/authorization_header.h"
#include "wire/oauth/challenge.h"
#include "wire/oauth/claims.h"

namespace postern::services {
namespace {

using Token = std::shared_ptr<const VerifiedAccessToken>;

// Tokens that were verified under the present keys. Bounded: the oldest leaves first.
class VerifiedTokenCache {
 public:
  [[nodiscard]] Token find(const std::string& digest, std::uint64_t generation) POSTERN_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    empty_when_changed(generation);
    const auto found = tokens_.find(digest);
    return found == tokens_.end() ? nullptr : found->second;
  }

  void keep(const std::string& digest, const Token& token, std::uint64_t generation) POSTERN_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    empty_when_changed(generation);
    // A token that was verified with keys which have been replaced meanwhile must not come back.
    if (generation != generation_ || !tokens_.emplace(digest, token).second) return;
    order_.push_back(digest);
    if (order_.size() <= kTokensMax) return;
    tokens_.erase(order_.front());
    order_.pop_front();
  }

 private:
  static constexpr std::size_t kTokensMax = 4096;

  void empty_when_changed(std::uint64_t generation) POSTERN_REQUIRES(mutex_) {
    if (generation <= generation_) return;
    tokens_.clear();
    order_.clear();
    generation_ = generation;
  }

  Mutex mutex_;
  std::uint64_t generation_ POSTERN_GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::string, Token> tokens_ POSTERN_GUARDED_BY(mutex_);
  std::deque<std::string> order_ POSTERN_GUARDED_BY(mutex_);
};

// The token of "Bearer" 1*SP b64token (RFC 6750 section 2.1, RFC 9110 section 11.4). Another scheme is no bearer token
// at all.
Result<std::string_view> bearer_token(const HttpRequest& request) {
  constexpr std::string_view kScheme = "Bearer";
  POSTERN_TRY(const std::string* field, request.headers.sole("Authorization"));
  if (field == nullptr) return MissingToken{};
  const std::string_view value = *field;
  const std::string_view scheme = value.substr(0, value.find(' '));
  if (!equal_ignoring_case(scheme, kScheme)) return MissingToken{};
  std::string_view token = value.substr(scheme.size());
  while (!token.empty() && token.front() == ' ') token.remove_prefix(1);
  if (!is_bearer_token(token)) {
    return MalformedToken{"the Authorization header does not hold one token."};
  }
  return token;
}

Status check_expiry(const VerifiedAccessToken& token, std::string_view, WallTime now) {
  if (token.expires_at() != WallTime::max() && now >= token.expires_at() + kClockSkewMax) return ExpiredToken{};
  return {};
}

// Not the verifier's comparison: what the verified token says of itself, whichever checks let it through.
Status check_second_audience(const VerifiedAccessToken& token, std::string_view resource, WallTime) {
  for (const std::string& audience : token.audience()) {
    if (audience == resource) return {};
  }
  return WrongAudience{std::string(resource)};
}

constexpr GateCheck kGateChecks[] = {{"expiry", check_expiry}, {"second_audience", check_second_audience}};

std::string_view error_description(const Failure& failure) {
  if (failure.as<ExpiredToken>() != nullptr) return "The access token has expired";
  if (failure.as<NotYetValid>() != nullptr) return "The access token is not valid yet";
  if (failure.as<WrongAudience>() != nullptr) return "The access token is for another resource";
  if (failure.as<WrongIssuer>() != nullptr) return "The access token is from another issuer";
  return "The access token is not valid";
}

}  // namespace

struct BearerGate::Impl {
  Impl(const Clock& clock_, TokenVerifier verifier_, IssuerKeys& keys_, std::span<const GateCheck> checks_)
      : clock(clock_), verifier(std::move(verifier_)), keys(keys_), checks(checks_) {}

  Token known(const std::string& digest) { return cache.find(digest, keys.generation()); }
  [[nodiscard]] Status still_good(const VerifiedAccessToken& verified) const;
  Result<Token> verify(std::string_view token, KeyAccess access);
  Result<Token> verify_anew(std::string_view token, const std::string& digest, KeyAccess access);
  Result<Token> verify_with_keys_at_hand(std::string_view token, const std::string& digest);

  const Clock& clock;
  TokenVerifier verifier;
  IssuerKeys& keys;
  std::span<const GateCheck> checks;
  VerifiedTokenCache cache;
};

Result<Token> BearerGate::Impl::verify_with_keys_at_hand(std::string_view token, const std::string& digest) {
  // In this order: the set is then at least as new as the generation that the token is kept under.
  const std::uint64_t generation = keys.generation();
  const auto set = keys.cached();
  if (set == nullptr) return KeysNeeded{};
  POSTERN_TRY(VerifiedAccessToken verified, verifier.verify(token, *set, clock.now()));
  const auto kept = std::make_shared<const VerifiedAccessToken>(std::move(verified));
  cache.keep(digest, kept, generation);
  return kept;
}

// Only missing keys, or a key id that they do not know, are a reason to fetch.
Result<Token> BearerGate::Impl::verify_anew(std::string_view token, const std::string& digest, KeyAccess access) {
  auto verified = verify_with_keys_at_hand(token, digest);
  const bool keys_may_be_old =
      !verified && (verified.error().as<KeysNeeded>() != nullptr || verified.error().as<UnknownKey>() != nullptr);
  if (!keys_may_be_old) return verified;
  POSTERN_TRY_VOID(access == KeyAccess::kMayFetch ? keys.refresh() : keys.recent());
  return verify_with_keys_at_hand(token, digest);
}

Status BearerGate::Impl::still_good(const VerifiedAccessToken& verified) const {
  for (const GateCheck& check : checks) POSTERN_TRY_VOID(check.run(verified, verifier.resource(), clock.now()));
  return {};
}

Result<Token> BearerGate::Impl::verify(std::string_view token, KeyAccess access) {
  const std::string digest = sha256(token);
  Token verified = known(digest);
  if (verified == nullptr) {
    POSTERN_TRY(verified, verify_anew(token, digest, access));
  }
  POSTERN_TRY_VOID(still_good(*verified));
  return verified;
}

std::span<const GateCheck> product_gate_checks() {
  return kGateChecks;
}

BearerGate::BearerGate(const Clock& clock, TokenVerifier verifier, IssuerKeys& keys, std::span<const GateCheck> checks)
    : impl_(std::make_unique<Impl>(clock, std::move(verifier), keys, checks)) {}

BearerGate::~BearerGate() = default;

Result<Token> BearerGate::admit(const HttpRequest& request, KeyAccess access) {
  POSTERN_TRY(const std::string_view token, bearer_token(request));
  return impl_->verify(token, access);
}

Token BearerGate::known(const HttpRequest& request) {
  const auto token = bearer_token(request);
  if (!token) return nullptr;
  Token kept = impl_->known(sha256(*token));
  return kept != nullptr && impl_->still_good(*kept) ? kept : nullptr;
}

Result<Token> BearerGate::verify(const AccessToken& token, KeyAccess access) {
  return impl_->verify(token.reveal(Passkey<BearerGate>{}), access);
}

Status require_scopes(const VerifiedAccessToken& token, const ScopeSet& required) {
  if (!token.scopes().contains_all(required)) return InsufficientScope{required};
  return {};
}

std::string challenge_of(const Failure& failure, std::string_view resource_metadata_url, const ScopeSet& required) {
  ChallengeWriter challenge("Bearer");
  if (const auto* insufficient = failure.as<InsufficientScope>()) {
    return challenge.add("error", "insufficient_scope")
        .add("error_description", "Insufficient scope")
        .add("scope", insufficient->required.text())
        .add("resource_metadata", resource_metadata_url)
        .text();
  }
  if (failure.disposition() == Disposition::kMissingToken) {
    challenge.add("resource_metadata", resource_metadata_url);
    if (!required.empty()) challenge.add("scope", required.text());
    return challenge.text();
  }
  if (failure.disposition() == Disposition::kBadRequest) {
    return challenge.add("error", "invalid_request")
        .add("error_description", "The Authorization header is repeated")
        .add("resource_metadata", resource_metadata_url)
        .text();
  }
  return challenge.add("error", "invalid_token")
      .add("error_description", error_description(failure))
      .add("resource_metadata", resource_metadata_url)
      .text();
}

std::string MissingToken::text() const {
  return "This needs an access token. Sign in first.";
}
std::string InsufficientScope::text() const {
  return "The access token does not carry the scopes that this needs: " + required.text() + ".";
}

}  // namespace postern::services
