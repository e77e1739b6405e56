// Opens a link in the person's own browser: by the system's opener with a fixed argv, never through a shell.
#pragma once

#include <string>

namespace postern::host {

// False when there is no opener here, or it could not be started. What it shows then is not known. REQUIRES a URL that
// was checked: http or https, in visible ASCII.
// `opener` is the program that is given the URL as its one argument.
[[nodiscard]] bool open_in_browser(const std::string& url, const std::string& opener = "/usr/bin/xdg-open");

}  // namespace postern::host
