#include "bridge/elicitation_policy.h"

#include <algorithm>

#include "bridge/host_letters.h"
#include "wire/base/visible_text.h"
#include "wire/oauth/discovery_policy.h"

namespace postern::bridge {

Result<CheckedLink> check_link(std::string_view url, const LinkPolicy& policy) {
  const auto refuse = [&](std::string reason) -> Failure {
    return LinkRefused{visible_line(url, 200), std::move(reason)};
  };
  if (url.empty()) return refuse("it is empty");
  if (url.size() > 2048) return refuse("it is longer than 2048 characters");
  // Only printable ASCII: everything else can be painted to look like something that it is not (client/elicitation,
  // "Safe URL Handling").
  const bool plain = std::all_of(url.begin(), url.end(), [](char c) { return c > 0x20 && c < 0x7F; });
  if (!plain) return refuse("it holds characters that may hide where it leads");
  const Result<Uri> parsed = parse_uri(url);
  if (!parsed) return refuse("it is not an http or https address in a plain form");
  if (parsed->scheme != "https" && !parsed->is_loopback()) return refuse("it is not https");
  const bool known = std::find(policy.hosts.begin(), policy.hosts.end(), parsed->host) != policy.hosts.end();
  if (!known && !policy.any_https) return refuse("its host is not that of the desk");
  if (!known) {
    // What only this person can reach and nobody named: a server must not reach for it through the person's browser,
    // which also knows 127.1 and 0x7f000001.
    switch (class_of_host(parsed->host)) {
      case HostClass::kLoopback:
        return refuse("it leads to this machine");
      case HostClass::kPrivate:
        return refuse("it leads into a private network");
      case HostClass::kForbidden:
        return refuse("its host is a link-local, reserved or disguised address");
      case HostClass::kPublic:
      case HostClass::kName:
        break;
    }
  }
  return CheckedLink{*parsed, host_letters(parsed->host), !known};
}

std::string LinkRefused::text() const {
  return "The server asked to show a link that is not shown as one: " + url + " (" + reason + ").";
}

}  // namespace postern::bridge
