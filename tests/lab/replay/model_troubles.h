// What a model service answers when something is wrong with it: for scenarios that are recorded.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tests/faults/scene.h"

namespace postern::lab {

// The answer to the nth request of the host to the model, from 1, in place of `bytes` (head and body); nothing: as it
// is.
using ModelAnswer = std::function<std::optional<std::string>(int n, const std::string& bytes)>;
void change_model_answers(faults::Scene& scene, ModelAnswer change);

// {"type":"error","error":{"type":...,"message":...}}; `headers`: whole lines, "Retry-After: 3\r\n".
[[nodiscard]] std::string model_error(std::string_view status_line, std::string_view type, std::string_view message,
                                      std::string_view headers = {});
// The answer with another stop reason, or cut off in the middle of its body (and of that length).
[[nodiscard]] std::string stopped_for(const std::string& bytes, std::string_view reason);
[[nodiscard]] std::string half_of(const std::string& bytes);

}  // namespace postern::lab
