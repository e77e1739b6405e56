#include "services/mcp/failures.h"

#include "wire/base/visible_text.h"
#include "wire/mcp/types.h"

namespace postern::mcp {

std::string UnsupportedVersion::text() const {
  const std::string asked = requested.empty() ? "" : " " + visible_line(requested, 40);
  std::string spoken;
  for (const std::string& version : supported) spoken += (spoken.empty() ? "" : ", ") + version;
  if (spoken.empty()) spoken = kProtocolVersion;
  return "Unsupported protocol version" + asked + ": this server speaks " + spoken + ".";
}

std::string UnknownMethod::text() const {
  return "Method not found: " + method + ".";
}

std::string UnknownTool::text() const {
  return "Unknown tool: " + name + ".";
}

std::string UnknownPrompt::text() const {
  return "Unknown prompt: " + name + ".";
}

std::string ResourceNotFound::text() const {
  return "Resource not found.";
}

std::string OutOfTime::text() const {
  const std::string effect = may_have_acted ? "It is not known what it did: read the record before calling it again."
                                            : "Nothing was changed. It may be called again later.";
  const std::string time =
      after_ms % 1000 == 0 ? std::to_string(after_ms / 1000) + " s" : std::to_string(after_ms) + " ms";
  return what + " was stopped because it took more than " + time + ". " + effect;
}

std::string TooManySubscriptions::text() const {
  return "There are " + std::to_string(most) + " subscriptions already: end one before opening another.";
}

std::string Stopping::text() const {
  return "This server is stopping. No subscription was opened: open it again in a moment.";
}

std::string BadInputRequest::text() const {
  return "The server cannot ask for this input: " + reason + ".";
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

std::string RequestStateRefused::text() const {
  return "The request state is not valid for this request. Send the request again without it.";
}

std::string BadKeyRing::text() const {
  return "The key ring " + path + " cannot be used: " + reason + ".";
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
