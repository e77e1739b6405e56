// Where clients that open with `initialize` are answered, when a server is composed with such a part (MCP 2026-07-28
// basic/versioning, "Backward compatibility").
//
// The core speaks 2026-07-28 alone and knows nothing of older revisions but this interface. Whoever composes a server
// hands a transport an implementation, or null: then requests of an older era are refused with -32022 (era.h).
#pragma once

#include <optional>

#include "services/mcp/server.h"
#include "wire/base/result.h"
#include "wire/jsonrpc/message.h"

namespace postern::mcp {

// Thread-safe. One for every process that serves over stdio: there an `initialize` holds for all that follows.
class OlderEra {
 public:
  virtual ~OlderEra() = default;
  // Nothing: the request is of no era that it serves, and is the server's. Failures are those that a transport refuses
  // (token.insufficient_scope, a limit of requests); what the older revision calls an error is an answer. Over HTTP
  // whoever hangs up has not cancelled: the work does not heed the token of its RunContext.
  [[nodiscard]] virtual std::optional<Result<PreparedRequest>> accept(const JsonRpcRequest& request,
                                                                      const RequestContext& context) = 0;
};

// The way in for both transports. `older_era` may be null.
[[nodiscard]] inline Result<Accepted> accept_of_either_era(const Server& server, OlderEra* older_era,
                                                           const JsonRpcRequest& request,
                                                           const RequestContext& context) {
  if (older_era != nullptr) {
    if (auto accepted = older_era->accept(request, context)) {
      if (!*accepted) return std::move(*accepted).error();
      return Accepted(**std::move(accepted));
    }
  }
  return server.accept(request, context);
}

}  // namespace postern::mcp
