// A secret in a JSON value would be written somewhere.
// expect: no matching function|cannot convert|no viable conversion|no known conversion|conversion from
#include "wire/base/json.h"
#include "wire/base/secret.h"

struct Tag {
  using RevealedBy = postern::Reveals<>;
};

postern::Json f(const postern::Secret<Tag>& secret) {
#ifdef CONTROL
  return postern::Json(secret.empty());
#else
  return postern::Json(secret);
#endif
}
