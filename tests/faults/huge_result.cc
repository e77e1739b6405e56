// huge-result: the carrier's page in the result of get_tracking is nine million bytes long.
#include "tests/faults/decorators.h"
#include "tests/faults/desk_fault.h"

namespace postern::faults {
namespace {

constexpr std::size_t kPageBytes = 9'000'000;

class HugeAnswers final : public DeskFault {
 public:
  std::string change_answer(Passing& passing, std::string bytes) override {
    if (!calls_tool(passing.request, "get_tracking")) return bytes;
    return with_result_changed(std::move(bytes), [](Json& result) {
      Json* tracking = result.find("structuredContent");
      if (tracking != nullptr) tracking->set("page", std::string(kPageBytes, 'A'));
    });
  }
};

}  // namespace

void huge_result(Scene& scene) {
  between_host_and_desk(scene, std::make_shared<HugeAnswers>());
}

}  // namespace postern::faults
