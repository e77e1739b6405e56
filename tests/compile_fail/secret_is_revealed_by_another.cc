// A class that the kind of secret does not name.
// expect: not named in the secret
#include "wire/base/secret.h"

class Writer;
class Other;
struct Tag {
#ifdef CONTROL
  using RevealedBy = postern::Reveals<Writer, Other>;
#else
  using RevealedBy = postern::Reveals<Writer>;
#endif
};

class Other {
 public:
  static std::string_view open(const postern::Secret<Tag>& secret) { return secret.reveal(postern::Passkey<Other>{}); }
};

std::string_view f(const postern::Secret<Tag>& secret) {
  return Other::open(secret);
}
