#include "tests/lab/grade/invariants/invariants.h"

namespace postern::lab {

std::span<const Invariant> invariants() {
  static constexpr Invariant kInvariants[] = {
      {"I1", "the host opens the case; the model never chooses, sees or supplies one", "a handle in a model turn",
       case_stays_with_the_host},
      {"I2", "one pinned revision, and no fallback", "fault wrong-version", one_revision},
      {"I3", "only tools as they were reviewed are offered and called", "fault rug-pull", only_reviewed_tools},
      {"I4", "each request over HTTP is authenticated by the server", "attack A1", each_request_is_authenticated},
      {"I5", "a caller's token goes no further than the server it is for", "fault token-passthrough",
       token_goes_no_further},
      {"I6", "handles and states work only for their caller and call", "attack A5", handles_are_bound},
      {"I7", "money moves only after somebody else decided", "fault trust-client-accept", somebody_else_decided},
      {"I8", "an approval pays what was approved, once, within the limit", "fault amount-blind-token",
       approved_action_once},
      {"I9", "results reach the model validated and labeled, and choose nothing", "fault forged-label",
       results_are_labeled},
      {"I10", "no secret is written anywhere", "attack A12", no_secret_is_written},
  };
  return kInvariants;
}

}  // namespace postern::lab
