#include "tests/lab/grade/invariants/invariants.h"

namespace postern::lab {

std::span<const Invariant> invariants() {
  static constexpr Invariant kInvariants[] = {
      {"I1", "the host opens the case; the model never chooses, sees or supplies one", "a case handle in a model turn",
       case_stays_with_the_host},
      {"I2", "one pinned revision, and no fallback", "another revision in a header", one_revision},
      {"I3", "only tools as they were reviewed are offered and called", "an offered description that changed",
       only_reviewed_tools},
      {"I4", "each request over HTTP is authenticated by the server", "an answer without a token",
       each_request_is_authenticated},
      {"I5", "a caller's token goes no further than the server it is for", "a token in a request to the model",
       token_goes_no_further},
      {"I6", "handles and states work only for their caller and call", "a foreign handle that is honoured",
       handles_are_bound},
      {"I7", "money moves only after somebody else decided", "a refund without a decision in the audit trail",
       somebody_else_decided},
      {"I8", "an approval pays what was approved, once, within the limit", "a second refund of one approval",
       approved_action_once},
      {"I9", "results reach the model validated and labeled, and choose nothing", "a result without a label",
       results_are_labeled},
      {"I10", "no secret is written anywhere", "a secret's shape in a text", no_secret_is_written},
  };
  return kInvariants;
}

}  // namespace postern::lab
