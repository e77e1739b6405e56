// The two dialects: where subschemas stand, and what shape each keyword's value must have.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/json.h"

namespace postern::schema {

enum class Draft { k2020_12, k07 };

struct Dialect {
  Draft draft = Draft::k2020_12;
  bool validation = true;  // false when a custom meta-schema leaves the validation vocabulary out

  friend bool operator==(const Dialect&, const Dialect&) = default;
};

// "https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema", with or without an empty
// fragment.
[[nodiscard]] std::optional<Draft> draft_of_uri(std::string_view uri);

// A direct subschema of a schema object.
struct Subschema {
  std::string pointer;  // from the schema object: "/properties/amount"
  const Json* schema;
};
[[nodiscard]] std::vector<Subschema> subschemas_of(const Json& schema, Draft draft);

struct ShapeError {
  std::string pointer;
  std::string reason;  // "must be a non-negative integer"
};
// What the meta-schema says of the value, subschemas included. Nothing when it is a valid schema. Nesting is the
// caller's to bound.
[[nodiscard]] std::optional<ShapeError> check_shape(const Json& schema, Draft draft);

}  // namespace postern::schema
