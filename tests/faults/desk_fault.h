// DeskFault: what happens to a request on its way from the host to the desk, and to the bytes of its answer on their
// way back.
//
// The host's wire log shows the request as it went out after the change, and the answer as it came: bounds, deadlines
// and parsers stay the product's own. One thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tests/faults/scene.h"
#include "wire/base/json.h"
#include "wire/http_message/http_message.h"

namespace postern::faults {

// One request of the host that is on its way.
struct Passing {
  HttpRequest request;    // as the host made it
  SteadyTime deadline{};  // of whoever waits for the answer
  bool too_late = false;  // set by a fault: nobody waited until the answer came
};

class DeskFault {
 public:
  virtual ~DeskFault() = default;
  virtual void change_request(HttpRequest& /*request*/) {}
  // The bytes that come, head and body; empty: none, the connection ends.
  [[nodiscard]] virtual std::string change_answer(Passing& /*passing*/, std::string bytes) { return bytes; }
};

// On each exchange between the host and the desk; no other one of the world is touched. The scene keeps it.
void between_host_and_desk(Scene& scene, std::shared_ptr<DeskFault> fault);

// Whether a request to an MCP server is that method; or tools/call of that tool.
[[nodiscard]] bool asks_for(const HttpRequest& request, std::string_view method);
[[nodiscard]] bool calls_tool(const HttpRequest& request, std::string_view tool);

// Of an answer's bytes.
[[nodiscard]] bool has_status(std::string_view bytes, int status);
// The same answer with the result of its JSON-RPC message changed; one without a result comes back as it is.
[[nodiscard]] std::string with_result_changed(std::string bytes, const std::function<void(Json& result)>& change);
// The same for one definition of a list of tools.
[[nodiscard]] std::string with_tool_changed(std::string bytes, std::string_view tool,
                                            const std::function<void(Json& definition)>& change);
// An answer of its own.
[[nodiscard]] std::string json_answer(std::string_view status_line, const Json& body);

}  // namespace postern::faults
