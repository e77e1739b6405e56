// Exit codes of `postern` (docs: postern help exit-codes), and which one a failure ends with.
#pragma once

#include "wire/base/result.h"

namespace postern::host {

enum class ExitCode : int {
  kDone = 0,
  kNo = 1,            // the command worked and the answer is no
  kUsage = 2,         // wrong use or bad configuration
  kUnreachable = 3,   // could not reach or could not talk
  kSignIn = 4,        // sign-in needed or refused
  kPinRefused = 5,    // finished, but a pinned tool was refused
  kMoneyRefused = 6,  // denied, expired, over the limit
  kModelFailed = 7,
  kPending = 8,
  kBug = 70,
  kInterrupted = 130,
  kTerminated = 143,
};

[[nodiscard]] ExitCode exit_code_of(const Failure& failure);
// The one that counts when several apply: 70, 130 and 143, 3, 4, 7, 1, 6, 8, 5, 0. `kNo` is here "final and desk
// disagree".
[[nodiscard]] ExitCode more_severe(ExitCode a, ExitCode b);

}  // namespace postern::host
