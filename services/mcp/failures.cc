#include "services/mcp/failures.h"

#include "wire/base/visible_text.h"
#include "wire/mcp/types.h"

namespace postern::mcp {

std::string UnsupportedVersion::text() const {
  const std::string asked = requested.empty() ? "" : " " + visible_line(requested, 40);
  return "Unsupported protocol version" + asked + ": this server speaks " + std::string(kProtocolVersion) + ".";
}

std::string UnknownMethod::text() const {
  return "Method not found: " + method + ".";
}

std::string UnknownTool::text() const {
  return "Unknown tool: " + name + ".";
}

std::string UnknownCursor::text() const {
  return "The cursor is not one that this server gave.";
}

std::string MissingClientCapability::text() const {
  return "This request needs a capability that its client did not declare: " + required.dump() + ".";
}

std::string ArgumentsInvalid::text() const {
  return "The arguments of " + tool + " are not valid: " + reason +
         ". Nothing was done. Mend the arguments and call again.";
}

std::string OutputInvalid::text() const {
  return "The result of " + tool + " is not what its output schema says: " + reason;
}

std::string LaneNeeded::text() const {
  return "The call has to wait for another process.";
}

std::string BadFeatures::text() const {
  return "The server cannot offer " + what + ": " + reason + ".";
}

std::string NotAcceptable::text() const {
  return "The Accept header must list application/json and text/event-stream.";
}

std::string NotJson::text() const {
  return "The Content-Type must be application/json.";
}

}  // namespace postern::mcp
