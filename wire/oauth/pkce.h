// Proof Key for Code Exchange (RFC 7636): S256 only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "wire/base/random_source.h"
#include "wire/base/secret.h"
#include "wire/oauth/access_token.h"

namespace postern {

// 43 to 128 unreserved characters. Opened to be sent to the token endpoint, and to make its challenge.
struct CodeVerifierTag {
  using RevealedBy = Reveals<AuthorizationCodeGrant, CodeChallenge>;
};
using CodeVerifier = Secret<CodeVerifierTag>;

// 256 bits, 43 characters (RFC 7636 section 4.1).
[[nodiscard]] CodeVerifier make_code_verifier(RandomSource& random);

class CodeChallenge {
 public:
  // BASE64URL(SHA256(verifier)).
  [[nodiscard]] static CodeChallenge s256(const CodeVerifier& verifier);
  // As received: exactly 43 characters of base64url. Nothing otherwise.
  [[nodiscard]] static std::optional<CodeChallenge> of_text(std::string_view text);
  // The issuer's side: whether this is the challenge of that verifier. Constant time; false for a verifier of a wrong
  // form.
  [[nodiscard]] bool matches(std::string_view verifier) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  explicit CodeChallenge(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace postern
