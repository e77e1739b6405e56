// What an answer must look like that a form wants as an e-mail address, a URI, a date or a point in time (MCP
// 2026-07-28 client/elicitation, "Requested Schema"; RFC 5321, RFC 3986, RFC 3339), and which words name a secret.
// Without state.
#pragma once

#include <string>
#include <string_view>

#include "bridge/elicitation_form.h"

namespace postern::bridge {

// A sentence that says what is wanted, with an example; empty when the text is of the format.
[[nodiscard]] std::string wrong_format(FormFormat format, std::string_view text);

// Whether a name or a sentence speaks of a password, a token, a card number or the like. A help for the eye and no
// control: a server that wants to deceive writes something else.
[[nodiscard]] bool names_a_secret(std::string_view text);

}  // namespace postern::bridge
