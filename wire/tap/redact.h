// Takes secrets out of text before it is written anywhere.
//
// Two nets, one pass. By place: what stands under a name that holds secrets (an HTTP header, a form or query field, a
// fragment, a JSON member, at any depth of JSON in strings, percent-encoded or not). By shape: what looks like a secret
// wherever it stands (our own prefixes ch_ apt_ ac_ svc_ hs_ rs_, JWTs, API keys, credentials after Bearer, Service,
// Basic, private keys). And what a person answered to a form (wire/tap/typed_answers.h). What is taken out leaves a
// fingerprint (wire/tap/fingerprint.h); everything around it stays as it was, byte for byte.
//
// Linear in the length of the text (RE2), so a peer cannot stall it. Thread-safe. Never fails.
// Does not protect against: a secret that a peer encodes on purpose (base64 of it, its letters reversed), or one
// without a known name or shape.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "wire/tap/fingerprint.h"
#include "wire/tap/known_secrets.h"

namespace postern {

class Redactor {
 public:
  // `fingerprints` must outlive it.
  explicit Redactor(const Fingerprints& fingerprints);
  ~Redactor();

  // Free text, JSON, event streams, request targets, URLs, header lines.
  [[nodiscard]] std::string text(std::string_view text) const;
  // application/x-www-form-urlencoded: the same, and its first field too.
  [[nodiscard]] std::string form(std::string_view body) const;
  // What a peer wrote, where a secret may be quoted in prose or stand in pieces: the same, and then every run of 8 or
  // more characters of a secret that was found before, in any text.
  [[nodiscard]] std::string text_in_pieces(std::string_view text) const;
  // The value of an HTTP header.
  [[nodiscard]] std::string header(std::string_view name, std::string_view value) const;

 private:
  struct Patterns;
  [[nodiscard]] std::string mark(std::string_view kind, std::string_view secret) const;
  const Fingerprints& fingerprints_;
  std::unique_ptr<const Patterns> patterns_;
  mutable KnownSecrets known_;
};

}  // namespace postern
