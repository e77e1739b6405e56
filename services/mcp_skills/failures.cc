#include "services/mcp_skills/failures.h"

namespace postern::mcp {

std::string BadSkill::text() const {
  return "The skill " + uri + " cannot be served: " + reason + ".";
}

std::string UnknownSkill::text() const {
  return "There is no skill with that URI here.";
}

std::string NotADirectory::text() const {
  return "There is no directory with that URI here.";
}

}  // namespace postern::mcp
