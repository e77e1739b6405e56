// JSON Schema, dialects 2020-12 (the default) and draft-07 (when "$schema" names it).
//
// A schema is compiled once and validates from any thread. Whole dialects: unknown keywords are annotations, "format"
// is an annotation too (as both dialects say by default), "$ref" resolves inside the document (ids, anchors, dynamic
// anchors, and the two meta-schemas) and is never fetched: a reference that leads elsewhere is refused when the schema
// is compiled. "pattern" runs on RE2, in linear time; what RE2 cannot express is refused by name. Nesting, subschemas
// and work are bounded, with a failure of its own.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern {

namespace schema {
struct Compiled;
}  // namespace schema

struct SchemaBounds {
  std::size_t depth_max = 48;
  std::size_t subschemas_max = 4096;
  std::size_t pattern_instructions_max = 20'000;  // of RE2's programs, all patterns together
  std::size_t steps_max = 200'000;                // of one validation; a step is about 100 ns of work
};

// Documents that references may lead to, by absolute URI. Nothing else is ever looked up.
using SchemaDocuments = std::map<std::string, Json, std::less<>>;

class Schema {
 public:
  // Failures: schema.unsupported_dialect, schema.invalid, schema.unresolved_reference, schema.unsupported_pattern,
  // schema.over_bound.
  [[nodiscard]] static Result<Schema> compile(const Json& schema, SchemaBounds bounds = {},
                                              const SchemaDocuments& documents = {});
  // schema.mismatch names the instance path and what was expected there, so that a caller can mend its value;
  // schema.over_bound when the work budget is used up.
  [[nodiscard]] Status validate(const Json& instance) const;

 private:
  explicit Schema(std::shared_ptr<const schema::Compiled> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const schema::Compiled> compiled_;
};

struct SchemaMismatch {
  static constexpr std::string_view kId = "schema.mismatch";
  static constexpr Layer kLayer = Layer::kSchema;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string instance_path;               // JSON Pointer, "" for the whole value
  std::string expected;                    // "at most 200 characters"
  std::string got;                         // "231 characters"; never the value itself
  [[nodiscard]] std::string text() const;  // "at /reason: expected at most 200 characters, got 231 characters"
};
struct SchemaInvalid {
  static constexpr std::string_view kId = "schema.invalid";
  static constexpr Layer kLayer = Layer::kSchema;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string schema_path;
  std::string reason;
  [[nodiscard]] std::string text() const;
};
struct SchemaUnsupportedDialect {
  static constexpr std::string_view kId = "schema.unsupported_dialect";
  static constexpr Layer kLayer = Layer::kSchema;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string dialect;
  [[nodiscard]] std::string text() const;
};
struct SchemaUnresolvedReference {
  static constexpr std::string_view kId = "schema.unresolved_reference";
  static constexpr Layer kLayer = Layer::kSchema;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string reference;
  [[nodiscard]] std::string text() const;
};
struct SchemaUnsupportedPattern {
  static constexpr std::string_view kId = "schema.unsupported_pattern";
  static constexpr Layer kLayer = Layer::kSchema;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string schema_path;
  std::string reason;
  [[nodiscard]] std::string text() const;
};
struct SchemaOverBound {
  static constexpr std::string_view kId = "schema.over_bound";
  static constexpr Layer kLayer = Layer::kSchema;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string what;
  std::size_t bound = 0;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
