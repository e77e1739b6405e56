#include "host/browser_opener.h"

#include <cstdlib>

#include "wire/base/file.h"
#include "wire/transport/child_process.h"

namespace postern::host {

bool open_in_browser(const std::string& url, const std::string& opener) {
  if (!file_exists(opener)) return false;
  ChildOptions options;
  options.argv = {opener, url};
  options.stderr_file = "/dev/null";
  for (const char* name :
       {"DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "BROWSER"}) {
    if (const char* value = std::getenv(name)) options.environment.emplace_back(name, value);
  }
  Result<ChildProcess> started = ChildProcess::spawn(options);
  if (!started) return false;
  started->release();  // it lives on by itself
  return true;
}

}  // namespace postern::host
