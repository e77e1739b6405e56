// output-schema-drift: get_order gives its total under another name and as a decimal number, as after a release in
// which nobody looked at who reads it. The list of tools still says what was reviewed.
#include "tests/faults/decorators.h"
#include "tests/faults/desk_fault.h"

namespace postern::faults {
namespace {

class DriftedOutput final : public DeskFault {
 public:
  std::string change_answer(Passing& passing, std::string bytes) override {
    if (!calls_tool(passing.request, "get_order")) return bytes;
    return with_result_changed(std::move(bytes), [](Json& result) {
      Json* order = result.find("structuredContent");
      if (order == nullptr || !order->erase("total_cents")) return;
      order->set("total", 289.5);
      // The text block says the same as the structured content, as at a careful server.
      result.set("content", Json::array({Json::object({{"type", "text"}, {"text", order->dump()}})}));
    });
  }
};

}  // namespace

void output_schema_drift(Scene& scene) {
  between_host_and_desk(scene, std::make_shared<DriftedOutput>());
}

}  // namespace postern::faults
