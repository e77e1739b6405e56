// missing-header: something on the way to the desk drops the Mcp-Method header, as a proxy does that passes on only the
// headers that it knows. The body still says which method it is; the desk must not go by it.
#include "tests/faults/decorators.h"
#include "tests/faults/desk_fault.h"

namespace postern::faults {
namespace {

constexpr std::string_view kDropped = "Mcp-Method";

class DroppedHeader final : public DeskFault {
 public:
  void change_request(HttpRequest& request) override {
    HeaderList kept;
    for (const HeaderField& field : request.headers.fields()) {
      if (!equal_ignoring_case(field.name, kDropped)) kept.add(field.name, field.value);
    }
    request.headers = std::move(kept);
  }
};

}  // namespace

void missing_header(Scene& scene) {
  between_host_and_desk(scene, std::make_shared<DroppedHeader>());
}

}  // namespace postern::faults
