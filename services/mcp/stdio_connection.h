// One connection of a StdioServer while it is served. Of the server's own files only.
//
// The thread of run() reads; it carries out what never waits, and hands the rest to a few threads. What is sent goes
// through an outbox, so that a client that does not read never keeps the reader from noticing a cancellation or the end
// of the input. While too much waits, in either direction, the reader takes nothing more, but still sees the client
// hang up.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "services/mcp/older_era.h"
#include "services/mcp/requests_in_flight.h"
#include "services/mcp/server.h"
#include "services/mcp/stdio_server.h"
#include "services/mcp/work_queue.h"
#include "wire/transport/line_outbox.h"
#include "wire/transport/stdio_stream.h"

namespace postern::mcp {

class StdioConnection {
 public:
  // References must outlive it.
  StdioConnection(const Server& server, OlderEra* older_era, std::shared_ptr<const services::Principal> caller,
                  const StdioOptions& options, LineReader& in, LineWriter& out);
  StdioConnection(const StdioConnection&) = delete;
  StdioConnection& operator=(const StdioConnection&) = delete;

  // As StdioServer::serve(). Once.
  [[nodiscard]] Status run(std::stop_token stop);

 private:
  // Until the end of the input, or until reading_ is stopped.
  Status read_lines();
  // False when it is time to end.
  bool wait_for_room(Room& room);
  void finish(const std::stop_token& stop, bool hung_up);

  void take_line(const std::string& line);
  void take_request(const JsonRpcRequest& request);
  void take_cancellation(const Json& params);
  void listen(PreparedListen listen, const RequestsInFlight::Request& request);
  // On whichever thread: runs it and sends its answer, unless it was cancelled.
  void carry_out(const RequestsInFlight::Request& request, const PreparedRequest& prepared);
  void send(const Failure& failure, std::optional<RequestId> id);

  const Server& server_;
  OlderEra* older_era_;
  const std::shared_ptr<const services::Principal> caller_;
  const StdioOptions& options_;
  LineReader& in_;
  std::stop_source reading_;
  std::atomic<bool> broken_ = false;    // nobody takes what is sent
  std::optional<SteadyTime> end_by_{};  // set once the client has hung up
  // Shared with the sinks of subscriptions, which a publisher may still hold.
  const std::shared_ptr<LineOutbox> outbox_;
  const std::shared_ptr<RequestsInFlight> requests_;
  WorkQueue queue_;
};

}  // namespace postern::mcp
