#include "tests/faults/scene.h"

#include <utility>

#include "wire/base/check.h"
#include "wire/base/file.h"

namespace postern::faults {

void add_server(Scene& scene, const std::string& name, Json entry) {
  const std::string file = scene.world.folder + "/config.json";
  const Json config = Json::object({{"mcpServers", Json::object({{name, std::move(entry)}})}});
  POSTERN_CHECK(replace_file(file, config.dump()).has_value());
  scene.run.arguments.insert(scene.run.arguments.end(), {"--config", file});
}

}  // namespace postern::faults
