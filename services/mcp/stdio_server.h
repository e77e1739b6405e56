// An MCP server over stdio: a line in, a line out (MCP 2026-07-28 basic/transports/stdio).
//
// The caller is fixed by whoever started the process. Requests are carried out one after the other on the thread of
// serve(), so an answer is written before a cancellation of its request can be read: cancellations are taken and change
// nothing. Nothing but MCP messages is written to the output; what goes wrong is in the log.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "services/gate/principal.h"
#include "services/mcp/older_era.h"
#include "services/mcp/server.h"
#include "wire/transport/stdio_stream.h"

namespace postern::mcp {

class StdioServer {
 public:
  // `older_era` may be null. The server and it must outlive this.
  StdioServer(const Server& server, const services::Principal& caller, OlderEra* older_era = nullptr)
      : server_(server), caller_(std::make_shared<const services::Principal>(caller)), older_era_(older_era) {}

  // The answer to one line; nothing for a notification, and for a response, which nobody asked for.
  [[nodiscard]] std::optional<std::string> answer_line(std::string_view line, std::stop_token stop = {}) const;
  // Until the end of the input, which is the orderly end, or until `stop`. A failure when answers cannot be written any
  // more.
  [[nodiscard]] Status serve(LineReader& in, LineWriter& out, std::stop_token stop = {}) const;

 private:
  const Server& server_;
  std::shared_ptr<const services::Principal> caller_;
  OlderEra* older_era_;
};

}  // namespace postern::mcp
