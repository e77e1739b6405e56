// A reply of the Messages API, read into a ModelTurn.
//
// The content array is kept as the bytes that came, not as a value written again: thinking blocks are bound to them.
// Reading is strict where a tool would run (ids, names, complete JSON) and lenient where nothing depends on it: an
// unknown block type stays in the content and is shown to nobody.
#pragma once

#include <optional>
#include <string_view>

#include "host/model/model.h"
#include "wire/base/result.h"

namespace postern::host {

// The body of a 200. Failures: model.malformed_reply, model.server_side_work.
[[nodiscard]] Result<ModelTurn> read_messages_reply(std::string_view body);

// What the host does with a stop reason (Messages API, "stop_reason"): nothing to say for an end of turn or tool calls.
// Failures: model.turn_cut_off, model.declined, model.unexpected_stop.
[[nodiscard]] Status check_stop(const ModelTurn& turn);

// The bytes of a member's value in a JSON object's text. REQUIRES text that parse_json() accepted as an object.
[[nodiscard]] std::optional<std::string_view> raw_member(std::string_view object_text, std::string_view name);

}  // namespace postern::host
