// The signing keys of this issuer, and their rotation (RFC 7517, RFC 7638).
//
// A key is published for ten minutes before it signs anything, so that a resource server which has just fetched the set
// knows it, and stays published after its last signature until the last token with it has expired. A day after a key
// began to sign, or when the operator says so, the next one is made. So there are at most three: one that retires, one
// that signs, one that is to come. Keys are made here, but for a first one that may be given, and live in memory.
//
// There is no timer: each use first brings the ring up to the time of the clock. A ring that nobody used for a while
// publishes the next key late, and it signs later then, never unpublished. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/mutex.h"
#include "wire/env/env.h"
#include "wire/signing/es256_signer.h"

namespace postern::issuer {

class KeyRing {
 public:
  static constexpr Seconds kSigns{24 * 3600};
  static constexpr Seconds kPublishedBefore{600};

  // `published_after`: how long a token may live, with what clocks may differ.
  KeyRing(Env env, Seconds published_after, std::optional<Es256Signer> first = std::nullopt);

  struct Key {
    Es256Signer signer;
    std::string kid;  // RFC 7638 thumbprint: the key names itself
  };
  // The one to sign with now.
  [[nodiscard]] Key signing() POSTERN_EXCLUDES(mutex_);
  // {"keys":[...]}: the public halves, in the order in which they sign.
  [[nodiscard]] Json jwk_set() POSTERN_EXCLUDES(mutex_);
  // Makes the next key now; it signs ten minutes from now. Nothing when one is to come already.
  void rotate() POSTERN_EXCLUDES(mutex_);

 private:
  struct Entry {
    Key key;
    WallTime signs_from{};
  };
  void advance() POSTERN_REQUIRES(mutex_);
  void add_next() POSTERN_REQUIRES(mutex_);
  [[nodiscard]] std::size_t signing_index() const POSTERN_REQUIRES(mutex_);

  Env env_;
  const Seconds published_after_;
  Mutex mutex_;
  std::vector<Entry> entries_ POSTERN_GUARDED_BY(mutex_);  // by signs_from
};

}  // namespace postern::issuer
