#include "wire/oauth/authorization_header.h"

#include <algorithm>

namespace postern {

void AuthorizationHeader::write(HeaderList& headers, const AccessToken& token) {
  headers.set("Authorization", std::string("Bearer ").append(token.reveal(Passkey<AuthorizationHeader>{})));
}

bool is_bearer_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~+/=").find(c) != std::string_view::npos;
  });
}

}  // namespace postern
