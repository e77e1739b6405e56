// Which redirect URIs a client may have, and which one a request may name (RFC 6749 section 3.1.2, RFC 8252
// section 7.3, OAuth 2.1 section 2.3.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace postern::issuer {

enum class ApplicationType { kNative, kWeb };

// What is wrong with it as a redirect URI to keep, as the end of a sentence; nothing when it is fine. Admitted are
// https, and http on this machine for a native client. No wildcard, fragment, user information or other scheme.
[[nodiscard]] std::optional<std::string> redirect_uri_fault(std::string_view redirect_uri, ApplicationType type);
// True for http on 127.0.0.1, [::1] or localhost.
[[nodiscard]] bool is_loopback_redirect(std::string_view redirect_uri);
// Equal character by character; an http redirect of a native client on this machine with any port.
[[nodiscard]] bool is_redirect_of(std::string_view registered, std::string_view asked, ApplicationType type);

}  // namespace postern::issuer
