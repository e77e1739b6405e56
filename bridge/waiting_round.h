// Where a call stands that waits for a person, kept for a later run of the host.
//
// A server binds its request state to the caller, the tool and the arguments. A host that goes on with the same call
// presents the state, so that the server answers for the request that was made and makes no second one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/json.h"

namespace postern::bridge {

struct WaitingRound {
  std::string request_state;       // opaque, echoed byte for byte; whoever holds it keeps it out of every output
  std::vector<std::string> asked;  // the keys of the links that were shown, each answered with "accept"
};

// Holds at most one round a call. `arguments` are those of the model, without bound ones. One thread.
class RoundKeeper {
 public:
  virtual ~RoundKeeper() = default;
  [[nodiscard]] virtual std::optional<WaitingRound> kept(std::string_view tool, const Json& arguments) const = 0;
  // In place of what was kept of the same call.
  virtual void keep(std::string_view tool, const Json& arguments, WaitingRound round) = 0;
  // The call has its answer, or its state is worth nothing any more.
  virtual void forget(std::string_view tool, const Json& arguments) = 0;
};

}  // namespace postern::bridge
