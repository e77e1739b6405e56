#include "host/tool_watch.h"

#include <utility>
#include <vector>

namespace postern::host {
namespace {

constexpr std::string_view kListChanged = "notifications/tools/list_changed";

bool tells_of_changes(const bridge::Session& session) {
  const Json* tools = session.server_capabilities().find("tools");
  // An older era has no subscription: what its servers say unasked is not waited for.
  return tools != nullptr && tools->boolean_at("listChanged").value_or(false) && !session.older_era();
}

}  // namespace

ToolWatch::ToolWatch(Env env, bridge::Session& session, const pins::PinGate& gate) : session_(session), gate_(gate) {
  if (!tells_of_changes(session)) return;
  bridge::SubscriptionOptions options;
  options.filter.tools_list_changed = true;
  options.request_meta = session.request_meta();
  bridge::SubscriptionHandlers handlers;
  handlers.changed = [this](const JsonRpcNotification& notification) {
    if (notification.method == kListChanged) note_change();
  };
  handlers.acknowledged = [this](const mcp::SubscriptionFilter& /*honoured*/, bool again) {
    if (again) note_change();
  };
  subscription_ = std::make_unique<bridge::Subscription>(env, session.transport(), std::move(options),
                                                         std::move(handlers), bridge::sleep_until_stopped);
}

ToolWatch::~ToolWatch() = default;

void ToolWatch::note_change() {
  session_.tools_changed();
  changed_ = true;
}

bool ToolWatch::is_withdrawn(std::string_view tool, const std::stop_token& stop) {
  if (changed_.exchange(false)) {
    const Result<std::vector<mcp::Tool>> tools = session_.list_tools(stop);
    if (tools) {
      looked_again_ = true;
      good_.clear();
      for (const pins::PinnedTool& admitted : gate_.admit_all(*tools, gate_.file().instructions).admitted)
        good_.insert(admitted.name());
    } else {
      changed_ = true;
    }
  }
  return looked_again_ && gate_.file().find(tool) != nullptr && !good_.contains(tool);
}

}  // namespace postern::host
