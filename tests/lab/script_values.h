// The small language in which a script takes its values out of what it was given.
//
// A value is a source and steps, and may say what it is when it is not known ("else"):
//   {"from": "result:get_order", "steps": [{"at": "/parts"}, {"named_in": "ticket_words", "by": "title"}, {"first":
//   true}, {"at": "/line_id"}]}
//
// Sources: "result:TOOL" (JSON of its newest good result), "text:TOOL" (text of its newest answer, errors too),
// "input:TOOL" (what its newest call asked for), "calls:TOOL" (array of {"input","result"} of its good calls),
// "system", "opening", "orders" (what the texts ask a believer to call: tests/lab/planted_orders.h), "value:NAME".
// Steps, each on what the one before gave:
//   at POINTER          the value there (RFC 6901)
//   first, last, count  of an array
//   each FIELD          that member of each element
//   sum                 of an array of integers
//   each_as TEMPLATE    a text for each element, which is "${it}" there; joined_by TEXT makes one of them
//   named_in VALUE, by FIELD    the elements of whose FIELD at least half the words of three letters and more occur in
//   VALUE without VALUE, by FIELD     the elements whose FIELD no element of the array VALUE has sentence_with WORDS
//   the sentence of a text that holds WORDS, without case quoted_with WORDS           the same between quotation marks
//   after WORDS, before WORDS   what follows WORDS in a text, or stands before them (all of it when they are not
//   there); without case money                       the first amount such as $129.00 of a text, in minor units
//   word_with PART              the first word of a text that holds PART
//   plus VALUE, minus VALUE     integers
//   days_since VALUE            whole days between two RFC 3339 times
//   repeat N                    a text N times
//   as_text TEMPLATE            a template, see expand(); "${it}" is what the step before gave
// "${name/member/0}" in a template goes into the value with a pointer.
// A step that finds nothing makes the value unknown; nothing is ever made up.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "tests/lab/conversation.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::lab {

// A script that says something that this language does not have. For the author of the script, not for the client.
struct ScriptBroken {
  static constexpr std::string_view kId = "lab.script_broken";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  std::string reason;
  [[nodiscard]] std::string text() const { return "The model script is broken: " + reason + "."; }
};

// The values of one script over one conversation. One thread; both arguments must outlive it.
class ScriptValues {
 public:
  ScriptValues(const Json& definitions, const Conversation& conversation)
      : definitions_(definitions), conversation_(conversation) {}

  // Nothing when it is not known; lab.script_broken when the script itself is wrong.
  [[nodiscard]] Result<std::optional<Json>> value(std::string_view name);
  // "${name}" in a text; a text that is one such name alone gives the value itself, with its type. Members and elements
  // are expanded too. Failure: lab.request_refused when a value is not known.
  [[nodiscard]] Result<Json> expand(const Json& form);
  // The conditions of a rule, all of them (tests/lab/model_script.h).
  [[nodiscard]] Result<bool> holds(const Json& condition);

 private:
  [[nodiscard]] Result<std::optional<Json>> evaluate(const Json& definition);
  [[nodiscard]] Result<std::optional<Json>> source(std::string_view from);
  [[nodiscard]] Result<std::optional<Json>> step(const Json& step, const Json& it);
  [[nodiscard]] Result<std::optional<Json>> list_step(const Json& step, const Json& it);
  [[nodiscard]] Result<std::optional<Json>> compare_step(const Json& step, const Json& it);
  [[nodiscard]] Result<std::optional<Json>> number_step(const Json& step, const Json& it);
  [[nodiscard]] Result<std::string> expand_text(std::string_view text);
  [[nodiscard]] Result<std::string> expand_with(const Json& it, std::string_view text);
  // "${name}" or "${name/pointer}", without the frame. Failure: lab.request_refused when it is not known.
  [[nodiscard]] Result<Json> named(std::string_view name);
  [[nodiscard]] Result<bool> value_condition(const Json& condition);
  [[nodiscard]] std::optional<bool> call_condition(const Json& condition) const;

  const Json& definitions_;
  const Conversation& conversation_;
  std::map<std::string, std::optional<Json>, std::less<>> known_;
  std::set<std::string, std::less<>> in_work_;
};

}  // namespace postern::lab
