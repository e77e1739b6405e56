// What a person wrote for one server, in the requests that carry it: the answers of a form stand in
// params.inputResponses (MCP 2026-07-28 basic/patterns/mrtr). They are for that server and not for a log.
#pragma once

#include <string>
#include <string_view>

#include "wire/tap/fingerprint.h"

namespace postern {

// The text with each text and number of an answer replaced by `<answer:a1b2c3>`; the names of the fields, the actions
// and yes or no stay. A message that is cut or broken is read as far as it goes. Linear; never fails.
[[nodiscard]] std::string without_answers(std::string_view json_text, const Fingerprints& fingerprints);

}  // namespace postern
