#include "services/desk/tool_table.h"

#include "services/desk/failures.h"
#include "services/desk/tool_catalog.h"
#include "services/desk/tools/tools.h"

namespace postern::desk {
namespace {

using mcp::Lane;
using Handler = Result<mcp::CallToolOutcome> (*)(const DeskParts&, const mcp::ToolCall&);

struct Row {
  std::string_view name;
  bool moves_money;  // needs refunds:write, an authenticated caller per request, and a client that can show a link
  Lane lane;
  Handler handler;
};

constexpr Row kRows[] = {
    {kOpenCase, false, Lane::kBlocking, OpenCase::run},  // writes the handle: may wait for another writer
    {kGetTicket, false, Lane::kLoop, get_ticket},        {kGetCustomer, false, Lane::kLoop, get_customer},
    {kGetOrder, false, Lane::kLoopFirst, get_order},  // asks payments now and then
    {kGetPolicy, false, Lane::kLoop, get_policy},        {kGetTracking, false, Lane::kLoop, get_tracking},
    {kIssueRefund, true, Lane::kBlocking, issue_refund},  // asks approvals and payments
};

Json url_elicitation() {
  return Json::object({{"elicitation", Json::object({{"url", Json::object()}})}});
}

}  // namespace

std::vector<mcp::ToolRow> tool_rows(const DeskParts& desk) {
  std::vector<mcp::ToolRow> rows;
  for (const Row& row : kRows) {
    mcp::ToolRow tool;
    tool.tool = definition_of(row.name);
    tool.scopes = row.moves_money ? ScopeSet{kReadScope, kRefundScope} : ScopeSet{kReadScope};
    tool.http_only = row.moves_money;
    tool.lane = row.lane;
    if (row.moves_money) tool.client_capabilities = url_elicitation();
    const Handler handler = row.handler;
    const bool asks_for_input = row.moves_money;
    tool.handler = [&desk, handler, asks_for_input](const mcp::ToolCall& call) -> Result<mcp::CallToolOutcome> {
      // A state belongs to the call that it was made for; a tool that never makes one knows that it is another's.
      const bool has_input = call.params.request_state || !call.params.input_responses.empty();
      if (has_input && !asks_for_input) return RequestStateRefused{"tool"};
      return handler(desk, call);
    };
    rows.push_back(std::move(tool));
  }
  return rows;
}

}  // namespace postern::desk
