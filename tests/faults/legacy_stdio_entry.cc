// legacy-stdio-entry: a server over stdio that was started through the entry of an older SDK: it waits for `initialize`
// and knows no server/discover, whatever the tools behind it could do.
#include "tests/faults/decorators.h"
#include "wire/jsonrpc/message.h"

namespace postern::faults {
namespace {

class OlderEntry final : public LineDecorator {
 public:
  std::string answer_to(std::string_view line) override {
    const Result<JsonRpcMessage> message = parse_message(line);
    const auto* request = message ? std::get_if<JsonRpcRequest>(&*message) : nullptr;
    if (request == nullptr || request->method == "initialize") return {};
    JsonRpcError error;
    error.id = request->id;
    error.code = static_cast<std::int64_t>(ErrorCode::kMethodNotFound);
    error.message = "Method not found";
    return serialise(error);
  }
};

}  // namespace

std::unique_ptr<LineDecorator> legacy_stdio_entry() {
  return std::make_unique<OlderEntry>();
}

}  // namespace postern::faults
