// An Env with a manual clock, seeded randomness and no tap.
#pragma once

#include "tests/support/manual_clock.h"
#include "tests/support/seeded_random.h"
#include "wire/env/env.h"

namespace postern::test {

struct TestEnv {
  ManualClock clock;
  SeededRandom random;
  NoTap tap;
  [[nodiscard]] Env env() { return {clock, random, tap}; }
};

}  // namespace postern::test
