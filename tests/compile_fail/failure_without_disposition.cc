// A failure that does not say how a boundary answers it is no failure.
// expect: could not convert|no viable conversion
#include "wire/base/result.h"

struct Incomplete {
  static constexpr std::string_view kId = "test.incomplete";
  static constexpr postern::Layer kLayer = postern::Layer::kOwn;
#ifdef CONTROL
  static constexpr postern::Disposition kDisposition = postern::Disposition::kInternal;
#endif
  [[nodiscard]] std::string text() const {
    return "";
  }
};

postern::Result<int> f() {
  return Incomplete{};
}
