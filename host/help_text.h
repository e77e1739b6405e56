// The texts of `postern help`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace postern::host {

[[nodiscard]] std::string overview_text();
[[nodiscard]] std::string version_text();
// postern.version/1, with its line feed.
[[nodiscard]] std::string version_json();
// "environment", "exit-codes", "files", "formatting", "pins", "servers", "wire", "security". Empty when there is no
// such topic.
[[nodiscard]] std::string topic_text(std::string_view topic);
[[nodiscard]] std::vector<std::string> topics();

}  // namespace postern::host
