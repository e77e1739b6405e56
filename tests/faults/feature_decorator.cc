#include "tests/faults/feature_decorator.h"

#include <algorithm>
#include <string>
#include <utility>

#include "wire/base/check.h"

namespace postern::faults {

void change_tool(Scene& scene, std::string_view tool, std::function<void(mcp::ToolRow& row)> change) {
  scene.world.decorators.desk_features = [name = std::string(tool),
                                          change = std::move(change)](mcp::ServerFeatures& features) {
    const auto row = std::find_if(features.tools.begin(), features.tools.end(),
                                  [&](const mcp::ToolRow& one) { return one.tool.name == name; });
    POSTERN_CHECK(row != features.tools.end());
    change(*row);
  };
}

void change_definition(Scene& scene, std::string_view tool, std::function<void(Json& definition)> change) {
  change_tool(scene, tool, [change = std::move(change)](mcp::ToolRow& row) {
    change(row.tool.definition);
    row.tool.description = std::string(row.tool.definition.string_at("description"));
  });
}

}  // namespace postern::faults
