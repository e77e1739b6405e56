// One target as libFuzzer wants it; which one says the build (POSTERN_FUZZ_TARGET).
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  postern::fuzz::POSTERN_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
