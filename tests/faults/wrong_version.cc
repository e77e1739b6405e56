// wrong-version: the server speaks another revision and says so, as the protocol has it: -32022 with the list of what
// it supports (MCP 2026-07-28 basic/versioning).
#include "tests/faults/decorators.h"
#include "tests/faults/desk_fault.h"
#include "wire/jsonrpc/message.h"

namespace postern::faults {
namespace {

class OtherRevision final : public DeskFault {
 public:
  std::string change_answer(Passing& passing, std::string bytes) override {
    // Who is asking comes first, at this server too.
    if (has_status(bytes, 401) || !passing.request.headers.has("Mcp-Method")) return bytes;
    const Result<Json> asked = parse_json(passing.request.body);
    const Json* id = asked ? asked->find("id") : nullptr;
    Json data = Json::object({{"supported", Json::array({"2025-11-25"})}, {"requested", "2026-07-28"}});
    Json error = Json::object({{"code", static_cast<std::int64_t>(ErrorCode::kUnsupportedProtocolVersion)},
                               {"message", "Unsupported protocol version"},
                               {"data", std::move(data)}});
    return json_answer(
        "400 Bad Request",
        Json::object({{"jsonrpc", "2.0"}, {"id", id == nullptr ? Json() : *id}, {"error", std::move(error)}}));
  }
};

}  // namespace

void wrong_version(Scene& scene) {
  between_host_and_desk(scene, std::make_shared<OtherRevision>());
}

}  // namespace postern::faults
