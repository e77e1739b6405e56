#include "wire/tap/fingerprint.h"

#include "wire/base/bytes.h"
#include "wire/base/digest.h"
#include "wire/base/secret.h"

namespace postern {

Fingerprints::Fingerprints(RandomSource& random) : key_(random_bytes(random, 32)) {}

Fingerprints::~Fingerprints() {
  wipe(key_);
}

std::string Fingerprints::digits(std::string_view secret) const {
  return hex(hmac_sha256(key_, secret).substr(0, 3));
}

std::string Fingerprints::digest(std::string_view bytes) const {
  return hex(hmac_sha256(key_, bytes).substr(0, 8));
}

std::string Fingerprints::mark(std::string_view kind, std::string_view secret) const {
  std::string mark = "<";
  mark += kind;
  mark += ':';
  mark += digits(secret);
  mark += '>';
  return mark;
}

}  // namespace postern
