// closed-peer: the connection ends when the desk has paid and before its receipt is there. Whoever sent the request
// cannot know whether money moved, and must not send it again.
#include "tests/faults/decorators.h"
#include "tests/faults/desk_fault.h"

namespace postern::faults {
namespace {

class ClosedAfterPayment final : public DeskFault {
 public:
  std::string change_answer(Passing& passing, std::string bytes) override {
    const bool is_receipt = calls_tool(passing.request, "issue_refund") && bytes.find("refund_id") != std::string::npos;
    return is_receipt ? std::string() : bytes;
  }
};

}  // namespace

void closed_peer(Scene& scene) {
  between_host_and_desk(scene, std::make_shared<ClosedAfterPayment>());
}

}  // namespace postern::faults
