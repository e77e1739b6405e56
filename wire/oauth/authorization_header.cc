#include "wire/oauth/authorization_header.h"

namespace postern {

void AuthorizationHeader::write(HeaderList& headers, const AccessToken& token) {
  headers.set("Authorization", std::string("Bearer ").append(token.reveal(Passkey<AuthorizationHeader>{})));
}

}  // namespace postern
