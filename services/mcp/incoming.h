// What Server::accept() knows of one request while it is checked, and the work that comes out of it. Of the core's own
// files only.
#pragma once

#include <functional>
#include <memory>

#include "services/mcp/catalog.h"
#include "services/mcp/server.h"

namespace postern::mcp {

struct Server::Incoming {
  const JsonRpcRequest& request;
  const RequestContext& context;
  RequestMeta meta;
  NotificationWishes wishes;
  std::shared_ptr<const Catalog> catalog;
  const ServerControls& controls;

  [[nodiscard]] bool over_http() const { return context.headers != nullptr; }
  [[nodiscard]] Status require(const ScopeSet& scopes) const;
  // What the server's owner says of one more request of this caller, by ServerFeatures::admit_request.
  [[nodiscard]] Status admit() const;
  // The same of one more tool call, by ServerFeatures::admit_call.
  [[nodiscard]] Status admit_call() const;
  // An answer that is an error, found inside the method: HTTP 200.
  [[nodiscard]] PreparedRequest error(const Failure& failure) const;
  // Of a tool call that does not come to its handler: in words, when the failure is one for a model.
  [[nodiscard]] Result<Accepted> no_call(const Failure& failure) const;
};

// How the work of a row runs. `work` is called once more in the lane when it gives mcp.lane_needed.
struct Server::Job {
  Lane lane = Lane::kLoop;
  bool notifies = false;
  std::chrono::milliseconds deadline{0};
  OutOfTime out_of_time;
  std::function<Result<Answer>(const Call&)> work;
  std::function<Answer(const Failure&)> on_failure;
};

// Internal errors go to the log whole, and to the client without their text.
[[nodiscard]] Answer error_answer(std::string_view what, const RequestId& id, const Failure& failure);

}  // namespace postern::mcp
