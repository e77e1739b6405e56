// A copy of a secret that nobody asked for.
// expect: deleted
#include "wire/base/secret.h"

struct Tag {
  using RevealedBy = postern::Reveals<>;
};

postern::Secret<Tag> f(const postern::Secret<Tag>& secret) {
#ifdef CONTROL
  return secret.duplicate();
#else
  return secret;
#endif
}
