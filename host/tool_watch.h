// ToolWatch: what a server says of its tools while a run goes on (notifications/tools/list_changed), and which of those
// that a model was shown are no longer what was reviewed.
//
// A model keeps the tools it was shown at the start: a changed list would break its conversation. So a tool that is
// withdrawn or changed stays in its list, and a call of it is answered with a sentence and goes to no server. Nothing
// is asked for at intervals: the list is read again before the next call after the server said that it changed, or
// after a gap in what it tells. Where a server tells of no changes, nothing is listened for.
//
// Listens on a thread of its own; is_withdrawn() is for the thread of the run. Everything it is given must outlive it.
#pragma once

#include <atomic>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

#include "bridge/session.h"
#include "bridge/subscription.h"
#include "pins/pin_gate.h"
#include "wire/env/env.h"

namespace postern::host {

class ToolWatch {
 public:
  // REQUIRES a session that is connected.
  ToolWatch(Env env, bridge::Session& session, const pins::PinGate& gate);
  ~ToolWatch();
  ToolWatch(const ToolWatch&) = delete;
  ToolWatch& operator=(const ToolWatch&) = delete;

  // Looked at before each call. A list that cannot be read leaves things as they were until the next call.
  [[nodiscard]] bool is_withdrawn(std::string_view tool, const std::stop_token& stop);

 private:
  void note_change();

  bridge::Session& session_;
  const pins::PinGate& gate_;
  std::atomic<bool> changed_{false};
  bool looked_again_ = false;
  std::set<std::string, std::less<>> good_;             // of the newest list, once it was read again
  std::unique_ptr<bridge::Subscription> subscription_;  // null: the server tells of no changes
};

}  // namespace postern::host
