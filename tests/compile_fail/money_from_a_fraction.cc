// Money from a floating-point number.
// expect: narrowing
#include "wire/base/money.h"

postern::Money f(double dollars, postern::Currency currency) {
#ifdef CONTROL
  return postern::Money{static_cast<std::int64_t>(dollars), currency};
#else
  return postern::Money{dollars, currency};
#endif
}
