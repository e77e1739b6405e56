#include "host/browser_opener.h"

#include <cstdlib>

#include "wire/base/file.h"
#include "wire/transport/child_process.h"

namespace postern::host {
namespace {

constexpr const char* kOpener = "/usr/bin/xdg-open";

}  // namespace

bool open_in_browser(const std::string& url) {
  if (!file_exists(kOpener)) return false;
  ChildOptions options;
  options.argv = {kOpener, url};
  options.stderr_file = "/dev/null";
  for (const char* name :
       {"DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "BROWSER"}) {
    if (const char* value = std::getenv(name)) options.environment.emplace_back(name, value);
  }
  Result<ChildProcess> opener = ChildProcess::spawn(options);
  if (!opener) return false;
  opener->release();  // it lives on by itself
  return true;
}

}  // namespace postern::host
