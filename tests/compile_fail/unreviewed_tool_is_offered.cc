// A tool as served, where the model's list is made.
// expect: no matching function|no viable conversion|could not convert|no known conversion
#include "bridge/model_tools.h"

using namespace postern;

bridge::ModelTools f(const std::vector<mcp::Tool>& served, const std::vector<pins::PinnedTool>& admitted,
                     const bridge::ToolBinding& binding) {
#ifdef CONTROL
  (void)served;
  return bridge::ModelTools(admitted, binding);
#else
  (void)admitted;
  return bridge::ModelTools(served, binding);
#endif
}
