// The launch document of `postern-issuer serve` (wire/transport/launch.h), read strictly, and the bounds of its
// listener.
#pragma once

#include <cstdint>

#include "issuer/authorization_server.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/transport/http_server.h"

namespace postern::issuer {

struct ServeOptions {
  AuthorizationServerOptions issuer;  // without the client that fetches documents: the program's own
  std::uint16_t port = 0;             // when no socket is handed down
};

// issuer.bad_configuration, own.bad_launch_document: the first member that is wrong.
[[nodiscard]] Result<ServeOptions> read_launch_document(const Json& document);

[[nodiscard]] HttpLimits listener_limits();

}  // namespace postern::issuer
