// A secret on a stream.
// expect: no match for|invalid operands
#include <iostream>

#include "wire/base/secret.h"

struct Tag {
  using RevealedBy = postern::Reveals<>;
};

void f(const postern::Secret<Tag>& secret) {
#ifdef CONTROL
  std::cout << secret.empty();
#else
  std::cout << secret;
#endif
}
