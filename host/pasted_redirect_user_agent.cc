#include "host/pasted_redirect_user_agent.h"

#include <array>
#include <optional>

#include "bridge/failures.h"
#include "bridge/oauth/failures.h"

namespace postern::host {
namespace {

constexpr int kTries = 3;

std::optional<std::string> state_in(std::string_view query) {
  const auto fields = form_decode(query);
  if (!fields) return std::nullopt;
  const auto state = sole_field(*fields, "state");
  return state ? *state : std::nullopt;
}

// The redirect that was pasted: the whole address, or all from its "?" on. Nothing when it is neither.
std::optional<std::string> redirect_of(std::string pasted, const std::string& redirect_uri) {
  // Quotes around it come from a shell's or a person's habit, the fragment from some issuers.
  if (pasted.size() >= 2 && (pasted.front() == '"' || pasted.front() == '\'') && pasted.back() == pasted.front())
    pasted = pasted.substr(1, pasted.size() - 2);
  pasted = pasted.substr(0, pasted.find('#'));
  if (!pasted.empty() && pasted.front() == '?') pasted = redirect_uri + pasted;
  if (pasted.substr(0, redirect_uri.size() + 1) != redirect_uri + "?") return std::nullopt;
  return pasted;
}

}  // namespace

Result<std::string> PastedRedirectUserAgent::redirect_uri() {
  // A port of the dynamic range (RFC 6335 section 6), another for each sign-in. Nobody here listens at it; who does on
  // the other machine has a code without the verifier that it is good with.
  std::array<unsigned char, 2> bytes{};
  env_.random.fill(bytes);
  const unsigned port = 49152U + ((static_cast<unsigned>(bytes[0]) << 8 | bytes[1]) & 0x3FFFU);
  redirect_uri_ = "http://127.0.0.1:" + std::to_string(port) + "/callback";
  return redirect_uri_;
}

Result<std::string> PastedRedirectUserAgent::authorize(const Uri& authorization, std::stop_token stop) {
  const std::optional<std::string> state = state_in(authorization.query);
  if (!terminal_.can_ask() || !state || redirect_uri_.empty()) return bridge::NoWayToSignIn{authorization.origin()};
  terminal_.err("sign in    " + terminal_.bold(authorization.authority()) +
                " asks who you are. Open in a browser on any machine:");
  terminal_.err("             " + authorization.text());
  if (authorization.host.find("xn--") != std::string::npos)
    terminal_.err("           Careful: the host's name holds characters that may look like others.");
  terminal_.err("           At the end the browser shows a page that it cannot reach, at " + redirect_uri_ + "?...");
  for (int i = 0; i < kTries; ++i) {
    const std::optional<std::string> pasted =
        terminal_.ask("           Paste the whole address of that page here: ", stop);
    if (!pasted) return bridge::StoppedByPerson{};
    const std::optional<std::string> redirect = redirect_of(*pasted, redirect_uri_);
    if (redirect && state_in(std::string_view(*redirect).substr(redirect_uri_.size() + 1)) == state) return *redirect;
    terminal_.err(redirect ? "           That is the answer to another sign-in."
                           : "           That is not the address: it begins with " + redirect_uri_ + "?");
  }
  return bridge::NoWayToSignIn{authorization.origin()};
}

}  // namespace postern::host
