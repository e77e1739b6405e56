// The scenarios that are recorded: each a few lines over a world of the laboratory.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/faults/scene.h"
#include "tests/lab/world/lab_world.h"

namespace postern::lab {

struct Scenario {
  std::string name;
  std::string about;  // one line
  // What the world and the host's run are, before either is made.
  std::function<void(faults::Scene& scene)> set_up;
  // The world that was made: what happens in it while the host waits. May be empty.
  std::function<void(LabWorld& world, HostRunOptions& run)> in_world{};
};

// In the order of their names.
[[nodiscard]] const std::vector<Scenario>& all_scenarios();
// Null when there is none of that name.
[[nodiscard]] const Scenario* find_scenario(std::string_view name);

}  // namespace postern::lab
