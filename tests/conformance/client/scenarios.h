// The scenarios of the conformance suite's client side, each as what a host does in it.
#pragma once

#include <string>
#include <string_view>

#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::conformance {

struct ScenarioInput {
  std::string scenario;
  std::string url;
  Json context = Json::object();
};

// Plays it to its end. Failures: of the bridge, as they came; conformance.unknown_scenario.
[[nodiscard]] Status play(const ScenarioInput& input);

// The suite knows a scenario that is not played here.
struct UnknownScenario {
  static constexpr std::string_view kId = "conformance.unknown_scenario";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string scenario;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::conformance
