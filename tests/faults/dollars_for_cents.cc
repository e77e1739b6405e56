// dollars-for-cents: the handler of issue_refund takes its amount for whole dollars, and so asks for a hundred times as
// many cents as the model did.
#include <utility>

#include "tests/faults/decorators.h"
#include "tests/faults/feature_decorator.h"

namespace postern::faults {
namespace {

mcp::ToolHandler in_dollars(mcp::ToolHandler handler) {
  return [handler = std::move(handler)](const mcp::ToolCall& call) {
    Json arguments = call.arguments;
    if (const auto amount = arguments.integer_at("amount_cents")) arguments.set("amount_cents", *amount * 100);
    return handler(mcp::ToolCall{call, arguments, call.params});
  };
}

}  // namespace

void dollars_for_cents(Scene& scene) {
  change_tool(scene, "issue_refund", [](mcp::ToolRow& row) { row.handler = in_dollars(std::move(row.handler)); });
}

}  // namespace postern::faults
