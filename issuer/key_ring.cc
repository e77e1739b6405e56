#include "issuer/key_ring.h"

#include "wire/base/bytes.h"
#include "wire/base/canonical_json.h"
#include "wire/base/digest.h"

namespace postern::issuer {
namespace {

std::string thumbprint(const Json& jwk) {
  Json required = Json::object();
  for (const char* name : {"crv", "kty", "x", "y"}) required.set(name, jwk.string_at(name));
  return base64url(sha256(canonical_json(required)));
}

KeyRing::Key named(Es256Signer signer) {
  std::string kid = thumbprint(signer.public_jwk(""));
  return {std::move(signer), std::move(kid)};
}

}  // namespace

KeyRing::KeyRing(Env env, Seconds published_after, std::optional<Es256Signer> first)
    : env_(env), published_after_(published_after) {
  KeyRing::Key key = named(first ? *std::move(first) : Es256Signer::generate());
  entries_.push_back(Entry{std::move(key), env_.clock.now()});  // nobody can know a token of an issuer before it starts
}

std::size_t KeyRing::signing_index() const {
  const WallTime now = env_.clock.now();
  std::size_t index = entries_.size() - 1;
  while (index > 0 && entries_[index].signs_from > now) --index;
  return index;
}

void KeyRing::add_next() {
  entries_.push_back(Entry{named(Es256Signer::generate()), env_.clock.now() + kPublishedBefore});
}

void KeyRing::advance() {
  const WallTime now = env_.clock.now();
  if (now >= entries_.back().signs_from + kSigns - kPublishedBefore) add_next();
  // One that signs no more leaves when its last token, of the moment before the next one took over, is over.
  while (entries_.size() > 1 && now >= entries_[1].signs_from + published_after_) entries_.erase(entries_.begin());
}

KeyRing::Key KeyRing::signing() {
  const MutexLock lock(mutex_);
  advance();
  return entries_[signing_index()].key;
}

Json KeyRing::jwk_set() {
  const MutexLock lock(mutex_);
  advance();
  Json keys = Json::array();
  for (const Entry& entry : entries_) keys.push(entry.key.signer.public_jwk(entry.key.kid));
  return Json::object({{"keys", std::move(keys)}});
}

void KeyRing::rotate() {
  const MutexLock lock(mutex_);
  advance();
  if (entries_.back().signs_from <= env_.clock.now()) add_next();
}

}  // namespace postern::issuer
