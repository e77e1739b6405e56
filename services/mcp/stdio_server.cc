#include "services/mcp/stdio_server.h"

#include "services/mcp/answer.h"
#include "services/mcp/failures.h"
#include "wire/base/log.h"
#include "wire/transport/failures.h"

namespace postern::mcp {
namespace {

std::string error_line(const Failure& failure, std::optional<RequestId> id) {
  return serialise(error_of(failure, std::move(id)));
}

}  // namespace

std::optional<std::string> StdioServer::answer_line(std::string_view line, std::stop_token stop) const {
  const auto message = parse_message(line);
  if (!message) return error_line(message.error(), request_id_of(message.error()));
  const auto* request = std::get_if<JsonRpcRequest>(&*message);
  if (request == nullptr) return std::nullopt;
  const RequestContext context{caller_, nullptr, nullptr, std::nullopt};
  const auto accepted = accept_of_either_era(server_, older_era_, *request, context);
  if (!accepted) return error_line(accepted.error(), request->id);
  const auto* prepared = std::get_if<PreparedRequest>(&*accepted);
  if (prepared == nullptr) return error_line(UnknownMethod{request->method}, request->id);
  return prepared->run({true, stop, nullptr})->body;
}

Status StdioServer::serve(LineReader& in, LineWriter& out, std::stop_token stop) const {
  while (true) {
    const auto line = in.read_line(stop);
    std::optional<std::string> answer;
    if (line) {
      if (line->empty()) continue;
      answer = answer_line(*line, stop);
    } else if (failed_with(line, "transport.frame_too_large")) {
      answer = error_line(JsonOverBound{"bytes", JsonBounds{}.bytes_max}, std::nullopt);
    } else if (failed_with(line, PeerClosed::kId) || failed_with(line, Cancelled::kId)) {
      return {};
    } else {
      return line.error();
    }
    if (answer) POSTERN_TRY_VOID(out.write_line(*answer));
  }
}

}  // namespace postern::mcp
