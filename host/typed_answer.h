// What a person types into a field of a form, and how an answer is shown (MCP 2026-07-28 client/elicitation, form
// mode). Without state.
#pragma once

#include <string>
#include <string_view>

#include "bridge/elicitation_form.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::host {

// The answer that a typed line means: of a choice its number, of several their numbers with commas between them, or
// "none". Blanks around it do not count. Failure: elicitation.answer_refused, with a sentence that says what is wanted.
[[nodiscard]] Result<Json> typed_answer(const bridge::FormField& field, std::string_view typed);

// An answer for the eye, visible: "yes", "Green (#0f0)", "Rowan Diaz".
[[nodiscard]] std::string shown_answer(const bridge::FormField& field, const Json& answer);
// What may be typed, in a few words: "text, 3 to 50 characters", "whole number, 1 to 10".
[[nodiscard]] std::string wanted(const bridge::FormField& field);

}  // namespace postern::host
