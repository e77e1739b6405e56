// A result that nobody looks at.
// expect: nodiscard|ignoring
#include "wire/base/result.h"

postern::Status pay();

void f() {
#ifdef CONTROL
  if (!pay()) return;
#else
  pay();
#endif
}
