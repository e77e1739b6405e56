// CallObserver: what the host learns while the bridge works, for its progress lines and its wire log notes. Defaults do
// nothing.
#pragma once

#include <chrono>
#include <string_view>

#include "wire/base/result.h"

namespace postern::bridge {

class CallObserver {
 public:
  virtual ~CallObserver() = default;
  // 403 insufficient_scope on a tool: a new authorization with these scopes is asked for.
  virtual void step_up(std::string_view /*tool*/, std::string_view /*scopes*/) {}
  // A verdict that cannot be recomputed from the redacted log: on the schema of a result, on a definition.
  virtual void verdict(Layer /*layer*/, std::string_view /*what*/, bool /*good*/) {}
  // About once a second while a call waits for something outside of it.
  virtual void waiting(std::chrono::seconds /*elapsed*/, std::chrono::seconds /*at_most*/) {}
};

}  // namespace postern::bridge
