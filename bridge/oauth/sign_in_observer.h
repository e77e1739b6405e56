// SignInObserver: what the host learns while the OAuth client works, for its progress lines. Defaults do nothing.
#pragma once

#include <string_view>

namespace postern::bridge {

class SignInObserver {
 public:
  virtual ~SignInObserver() = default;
  // A new access token was issued to `name` (display only) with these scopes.
  virtual void signed_in(std::string_view /*name*/, std::string_view /*scopes*/) {}
};

}  // namespace postern::bridge
