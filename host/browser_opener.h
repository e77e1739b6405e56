// Opens a link in the person's own browser: by the system's opener with a fixed argv, never through a shell.
#pragma once

#include <string>

namespace postern::host {

// False when there is no opener here, or it could not be started. What it shows then is not known. REQUIRES a URL that
// was checked: http or https, in visible ASCII.
[[nodiscard]] bool open_in_browser(const std::string& url);

}  // namespace postern::host
