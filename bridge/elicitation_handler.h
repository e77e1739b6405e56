// ElicitationHandler: what a person sees while a call waits for something outside of it (MCP 2026-07-28
// client/elicitation, URL mode).
//
// The host implements it. Nothing here can approve anything: a link is shown, perhaps opened by the person, never
// fetched by us.
#pragma once

#include <chrono>
#include <string>

#include "wire/base/uri.h"
#include "wire/mcp/types.h"

namespace postern::bridge {

struct LinkRequest {
  std::string tool;
  std::string message;    // the server's, made visible
  Uri url;                // checked by the elicitation policy
  std::string host;       // host and port, for emphasis
  bool punycode = false;  // the host name may look like another: warn
};

class ElicitationHandler {
 public:
  virtual ~ElicitationHandler() = default;
  // A link that has not been shown before. kAccept: it was shown; it means nothing else. kCancel: the person wants to
  // stop.
  [[nodiscard]] virtual mcp::ElicitAction show_link(const LinkRequest& request) = 0;
  // A link that was not shown, and why. `shown_url` is visible text, cut.
  virtual void link_refused(const std::string& shown_url, const std::string& reason) = 0;
  // Called about once a second while the call waits.
  virtual void waiting(std::chrono::seconds elapsed, std::chrono::seconds at_most) = 0;
  // The message of a later round that differs from the one shown: made visible.
  virtual void still_waiting(const std::string& message) = 0;
};

}  // namespace postern::bridge
