// An MCP server over stdio: a line in, a line out (MCP 2026-07-28 basic/transports/stdio).
//
// The caller is fixed by whoever started the process. Requests that never wait are answered on the thread of serve(),
// in the order in which they came; the others are carried out side by side, and answered as they are done. A
// cancellation stops its request, and nothing is sent for it any more. A subscription costs no thread. Nothing but MCP
// messages is written to the output; what goes wrong is in the log.
//
// Bounded in what waits: the input is read on when there is room. The end of the input ends serve() within the time of
// its options, whatever is in flight and whether or not anybody takes what is written.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>

#include "services/gate/principal.h"
#include "services/mcp/older_era.h"
#include "services/mcp/server.h"
#include "wire/transport/stdio_stream.h"

namespace postern::mcp {

struct StdioOptions {
  std::size_t threads_max = 8;                     // for requests that may wait
  std::size_t waiting_max = 64;                    // such requests that have not begun
  std::size_t unread_bytes_max = 8 * 1024 * 1024;  // written, and not yet taken by the client
  std::chrono::milliseconds end_ms_max{1500};      // from the end of the input, for what is in flight
  // Called once when a handler still runs after its token has fired and some time has passed: a program ends itself
  // then, for serve() cannot return while it runs.
  std::function<void()> on_stuck{};
};

class StdioServer {
 public:
  // `older_era` may be null. The server and it must outlive this.
  StdioServer(const Server& server, const services::Principal& caller, OlderEra* older_era = nullptr,
              StdioOptions options = {})
      : server_(server),
        caller_(std::make_shared<const services::Principal>(caller)),
        older_era_(older_era),
        options_(std::move(options)) {}

  // Until the end of the input, which is the orderly end, or until `stop`. Open subscriptions are ended in order first.
  // `transport.closed` when nobody takes the answers any more.
  [[nodiscard]] Status serve(LineReader& in, LineWriter& out, std::stop_token stop = {}) const;

 private:
  const Server& server_;
  std::shared_ptr<const services::Principal> caller_;
  OlderEra* older_era_;
  const StdioOptions options_;
};

}  // namespace postern::mcp
