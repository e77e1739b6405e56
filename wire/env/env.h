// What a program is composed with: time, randomness, and the tap. Built in main, passed to constructors first.
// References must outlive everything that was given the Env.
#pragma once

#include "wire/base/clock.h"
#include "wire/base/random_source.h"
#include "wire/tap/tap.h"

namespace postern {

struct Env {
  const Clock& clock;
  RandomSource& random;
  Tap& tap;
};

}  // namespace postern
