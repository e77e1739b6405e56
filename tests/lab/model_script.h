// A model's script (fixtures/models/*.json): what each request must be, and what the model does next.
//
//   {"name": "honest", "about": "...",
//    "label": {"mark": "untrusted-data", "preface": ["What follows, "]},
//    "requires": {"headers": {"anthropic-version": "2026-10-21"}, "offered": ["get_ticket"], "withheld": ["open_case"],
//                 "arguments_withheld": ["case_handle"], "system_holds": ["untrusted-data"], "opening_holds": ["T-"],
//                 "unlabeled_begin": ["There is no tool of that name."]},
//    "forbids": {"shapes": ["ch_", "eyJ"]},
//    "values": {...},                                 tests/lab/script_values.h
//    "rules": [{"if": [CONDITION...], "expects": [CONDITION...], "thinks": "...", "says": "...", "calls": {"tool":
//    "get_order", "input": {}}},
//              {"if": [...], "ends": "Refunded ${amount} cents."}]}
//
// {"name": "injectable", "extends": "honest", "values": {...}, "rules": [...]} is the other script with more values,
// and with these rules before its own.
//
// The first rule whose conditions all hold is taken; when its expectations do not hold, or a value in it is not known,
// the request is refused with 400, as is a conversation for which no rule is left: a script cannot succeed by rote.
//
// Conditions: {"called": TOOL, "times": N?}, {"uncalled": TOOL}, {"good": TOOL} (its newest call gave a labeled
// result), {"refused": TOOL} (its newest answer is an error), {"offered": TOOL}, {"withheld": TOOL}, {"known": VALUE},
// {"unknown": VALUE}, {"value": VALUE, and one of "is", "is_not", "holds", "above", "same_as"}, {"not": CONDITION}.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/conversation.h"
#include "tests/lab/script_values.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/http_message/http_message.h"

namespace postern::lab {

// What the model does: says something, and calls one tool or ends.
struct ModelMove {
  std::string thinks;  // empty: no thinking block
  std::string says;    // empty: no text block
  std::string tool;    // empty: the turn ends
  Json input;
};

class ModelScript {
 public:
  // `base` is the script that this one extends, if it does. Failure: lab.script_broken.
  [[nodiscard]] static Result<ModelScript> parse(std::string_view text, const ModelScript* base = nullptr);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const LabelForm& label() const { return label_; }
  // The required and forbidden things. Failure: lab.request_refused.
  [[nodiscard]] Status check(const HeaderList& headers, const Conversation& conversation) const;
  // Failures: lab.request_refused, lab.script_broken.
  [[nodiscard]] Result<ModelMove> next(const Conversation& conversation) const;

 private:
  ModelScript() = default;
  [[nodiscard]] Status check_offer(const Conversation& conversation) const;
  [[nodiscard]] Status check_results(const Conversation& conversation) const;
  [[nodiscard]] Status check_shapes(const Conversation& conversation) const;

  Json document_;
  std::string name_;
  LabelForm label_;
};

// The first secret of one of these shapes in a text: a prefix that begins a word, followed by at least eight characters
// of base64url. Nothing when there is none.
[[nodiscard]] std::optional<std::string> secret_shape_in(std::string_view text,
                                                         const std::vector<std::string>& prefixes);

// The scripts that are part of this program, and the one of that name.
[[nodiscard]] std::vector<std::string> script_names();
[[nodiscard]] Result<ModelScript> embedded_script(std::string_view name);

}  // namespace postern::lab
