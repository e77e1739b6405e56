#include "wire/oauth/pkce.h"

#include <algorithm>

#include "wire/base/bytes.h"
#include "wire/base/digest.h"

namespace postern {
namespace {

// code-verifier of RFC 7636 section 4.1.
bool is_verifier(std::string_view text) {
  return text.size() >= 43 && text.size() <= 128 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                  std::string_view("-._~").find(c) != std::string_view::npos;
         });
}

}  // namespace

CodeVerifier make_code_verifier(RandomSource& random) {
  return CodeVerifier::take(random_token(random, "", 32));
}

CodeChallenge CodeChallenge::s256(const CodeVerifier& verifier) {
  return CodeChallenge(base64url(sha256(verifier.reveal(Passkey<CodeChallenge>{}))));
}

std::optional<CodeChallenge> CodeChallenge::of_text(std::string_view text) {
  const auto bytes = base64url_decode(text);
  if (!bytes || bytes->size() != 32) return std::nullopt;
  return CodeChallenge(std::string(text));
}

bool CodeChallenge::matches(std::string_view verifier) const {
  return is_verifier(verifier) && equal_in_constant_time(base64url(sha256(verifier)), text_);
}

}  // namespace postern
