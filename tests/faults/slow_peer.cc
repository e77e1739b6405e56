// slow-peer: the desk takes a minute and a half for get_order, longer than any request is waited for.
#include <algorithm>
#include <chrono>

#include "tests/faults/decorators.h"
#include "tests/faults/desk_fault.h"

namespace postern::faults {
namespace {

constexpr Milliseconds kTaken{90'000};

class SlowAnswers final : public DeskFault {
 public:
  explicit SlowAnswers(std::shared_ptr<lab::LabWorld*> world) : world_(std::move(world)) {}

  // What the desk did, it did; the answer is still on its way when nobody waits any longer.
  std::string change_answer(Passing& passing, std::string bytes) override {
    if (!calls_tool(passing.request, "get_order") || *world_ == nullptr) return bytes;
    const lab::LabClock& clock = (*world_)->clock();
    const auto patience = std::chrono::duration_cast<Milliseconds>(passing.deadline - clock.steady_now());
    clock.advance(std::clamp(patience, Milliseconds(0), kTaken));
    if (patience > kTaken) return bytes;
    passing.too_late = true;
    return {};
  }

 private:
  const std::shared_ptr<lab::LabWorld*> world_;
};

}  // namespace

void slow_peer(Scene& scene) {
  between_host_and_desk(scene, std::make_shared<SlowAnswers>(scene.made));
}

}  // namespace postern::faults
