#include "services/mcp/stdio_server.h"

#include "services/mcp/stdio_connection.h"

namespace postern::mcp {

Status StdioServer::serve(LineReader& in, LineWriter& out, std::stop_token stop) const {
  StdioConnection connection(server_, older_era_, caller_, options_, in, out);
  return connection.run(std::move(stop));
}

}  // namespace postern::mcp
