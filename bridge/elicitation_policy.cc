#include "bridge/elicitation_policy.h"

#include <algorithm>

#include "bridge/host_letters.h"
#include "wire/base/visible_text.h"

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
  // A page of this machine that nobody named: a server elsewhere must not reach for it through the person's browser.
  if (!known && parsed->is_loopback()) return refuse("it leads to this machine");
  return CheckedLink{*parsed, host_letters(parsed->host), !known};
}

std::string LinkRefused::text() const {
  return "The server asked to show a link that is not shown as one: " + url + " (" + reason + ").";
}

}  // namespace postern::bridge
