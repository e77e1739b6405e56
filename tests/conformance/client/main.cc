// postern-conformance-client: the product's bridge, driven through one scenario of the conformance suite's client side.
//
//   postern-conformance-client URL
//
// The suite names the scenario in MCP_CONFORMANCE_SCENARIO and gives its data in MCP_CONFORMANCE_CONTEXT. What is
// played here is what a host does: which methods, in which order. Everything on the wire is the bridge's.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/conformance/client/scenarios.h"
#include "wire/base/json.h"
#include "wire/base/visible_text.h"
#include "wire/transport/launch.h"

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

int main(int argc, char** argv) {
  using postern::conformance::ScenarioInput;
  if (argc != 2) {
    std::fputs("usage: postern-conformance-client URL\n", stderr);
    return 2;
  }
  postern::prepare_signals();
  ScenarioInput input;
  input.scenario = variable("MCP_CONFORMANCE_SCENARIO");
  input.url = argv[1];
  if (const std::string context = variable("MCP_CONFORMANCE_CONTEXT"); !context.empty()) {
    auto json = postern::parse_json(context);
    if (!json) {
      std::fputs("MCP_CONFORMANCE_CONTEXT is no JSON\n", stderr);
      return 2;
    }
    input.context = *std::move(json);
  }
  const postern::Status played = postern::conformance::play(input);
  if (played) return 0;
  std::fprintf(stderr, "%s: %s\n", std::string(played.error().id()).c_str(),
               postern::visible_text(played.error().text()).c_str());
  return 1;
}
