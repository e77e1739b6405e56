// What the end of a case looks like from outside: for each id that a case may expect, what any server must show, and
// what the product shows.
//
// The two are apart because the boundary asks every implementation for the first alone (a status, a code, a sentence
// that people rely on); that the product refused for the right reason is seen by the second.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tests/lab/attack/mcp_call.h"
#include "tests/lab/attack/target.h"

namespace postern::lab {

enum class Ended {
  kAsItMust,
  kRefusedOtherwise,  // no way through, and not the refusal that the case names
  kThrough,
  kBrokeDown,  // of others: it answered 5xx, after which nobody knows what it did
  kUnclear,    // of others: no answer that the attack can end in, such as a redirect
};

// What an attempt came to: the answer, or what became of a decision.
struct Attempt {
  Seen seen;
  bool is_decision = false;
  DecisionAttempt decision;
  [[nodiscard]] bool let_through() const { return is_decision ? decision.done : seen.let_through(); }
  [[nodiscard]] std::string line() const;
};

struct Outlook {
  std::string_view id;                      // "token.wrong_audience"
  std::string_view about;                   // one line, for fixtures/README.md
  bool (*any)(const Attempt& attempt);      // of every implementation
  bool (*product)(const Attempt& attempt);  // of ours
};
// The closed list.
[[nodiscard]] std::span<const Outlook> outlooks();
// Null: no case may expect that.
[[nodiscard]] const Outlook* outlook_of(std::string_view id);

// Of another server than ours only that refusal counts in which the attack can end: a challenge for a token, an error
// of the tool or of JSON-RPC for a call that came to a handler.
[[nodiscard]] Ended ended(const Outlook& outlook, const Attempt& attempt, bool is_product);

}  // namespace postern::lab
