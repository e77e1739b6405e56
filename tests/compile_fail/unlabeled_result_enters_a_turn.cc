// Text of a server in a model turn, without a label.
// expect: could not convert|no viable conversion|no matching|cannot convert
#include "host/transcript/transcript.h"

using namespace postern;

host::ToolAnswer f(const std::string& text, const bridge::LabeledResult& labeled) {
#ifdef CONTROL
  (void)text;
  return host::ToolAnswer{"toolu_1", labeled, false};
#else
  (void)labeled;
  return host::ToolAnswer{"toolu_1", text, false};
#endif
}
