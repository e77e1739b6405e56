// Fingerprints: what stands in a log in a secret's place.
//
// `<token:a1b2c3>` is the kind of the secret and 6 hex digits of its HMAC-SHA-256 under a key that is made for one run
// and never written. The same secret shows the same digits wherever it occurs in the run, and nothing about it can be
// guessed from them without the key. Two runs show different digits.
#pragma once

#include <string>
#include <string_view>

#include "wire/base/random_source.h"

namespace postern {

// Immutable, thread-safe. Wipes its key.
class Fingerprints {
 public:
  explicit Fingerprints(RandomSource& random);
  ~Fingerprints();
  Fingerprints(const Fingerprints&) = delete;
  Fingerprints& operator=(const Fingerprints&) = delete;

  // Six lower-case hex digits.
  [[nodiscard]] std::string digits(std::string_view secret) const;
  // Sixteen: of a whole message, so that equal bodies can be told from different ones without a hash of what is secret.
  [[nodiscard]] std::string digest(std::string_view bytes) const;
  // "<token:a1b2c3>"
  [[nodiscard]] std::string mark(std::string_view kind, std::string_view secret) const;

 private:
  std::string key_;
};

}  // namespace postern
