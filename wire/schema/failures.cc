#include "wire/schema/schema.h"

namespace postern {

std::string SchemaMismatch::text() const {
  const std::string where = instance_path.empty() ? "" : "at " + instance_path + ": ";
  return where + "expected " + expected + ", got " + got;
}

std::string SchemaInvalid::text() const {
  return "The schema is not valid at \"" + schema_path + "\": " + reason + ".";
}

std::string SchemaUnsupportedDialect::text() const {
  return "The schema dialect \"" + dialect + "\" is not supported. Supported: JSON Schema 2020-12 and draft-07.";
}

std::string SchemaUnresolvedReference::text() const {
  return "The schema refers to \"" + reference + "\", which is not in it. References are never fetched.";
}

std::string SchemaUnsupportedPattern::text() const {
  return "The pattern at \"" + schema_path + "\" cannot be used: " + reason + ".";
}

std::string SchemaOverBound::text() const {
  return "The schema needs more than " + std::to_string(bound) + " " + what + ".";
}

}  // namespace postern
