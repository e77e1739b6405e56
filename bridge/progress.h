// Progress of a request, as its server reports it (MCP 2026-07-28 basic/patterns/progress).
//
// A report counts when it carries the token that the request was sent with and is higher than every one before it;
// everything else is dropped without a word, because nothing may come of it: not a sign of life, not a line on a
// screen.
#pragma once

#include <optional>
#include <string>

#include "wire/base/json.h"
#include "wire/jsonrpc/message.h"

namespace postern::bridge {

struct ProgressReport {
  std::string method;  // of the request
  double progress = 0;
  std::optional<double> total;
  std::string message;  // the server's, made visible; may be empty
};

// Of one request. One thread.
class ProgressFilter {
 public:
  // `params` of the request as it goes out: without a progressToken in it nothing counts.
  ProgressFilter(std::string method, const Json& params);
  [[nodiscard]] std::optional<ProgressReport> admit(const JsonRpcNotification& notification);

 private:
  std::string method_;
  std::optional<Json> token_;
  std::optional<double> highest_;
};

}  // namespace postern::bridge
