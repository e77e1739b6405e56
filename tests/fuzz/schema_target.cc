#include <array>

#include "tests/fuzz/targets.h"
#include "wire/base/check.h"
#include "wire/schema/schema.h"

namespace postern::fuzz {
namespace {

constexpr JsonBounds kBounds{16 * 1024, 24};
constexpr SchemaBounds kSchemaBounds{24, 256, 4'000, 20'000};

enum class Verdict { kValid, kMismatch, kOverBound, kNoSchema };

bool is_named(const Failure& failure) {
  return failure.as<SchemaInvalid>() != nullptr || failure.as<SchemaUnsupportedDialect>() != nullptr ||
         failure.as<SchemaUnresolvedReference>() != nullptr || failure.as<SchemaUnsupportedPattern>() != nullptr ||
         failure.as<SchemaOverBound>() != nullptr;
}

// One line, no control characters, and short whatever the schema and the instance hold.
void check_text(const std::string& text) {
  POSTERN_CHECK(!text.empty() && text.size() < 64 * 1024);
  for (const char c : text) POSTERN_CHECK(static_cast<unsigned char>(c) >= 0x20);
}

Verdict verdict_of(const Json& schema, const Json& instance) {
  const auto compiled = Schema::compile(schema, kSchemaBounds);
  if (!compiled) {
    POSTERN_CHECK(is_named(compiled.error()));
    check_text(compiled.error().text());
    return Verdict::kNoSchema;
  }
  const auto status = compiled->validate(instance);
  const auto again = compiled->validate(instance);
  POSTERN_CHECK(status.has_value() == again.has_value());
  if (status) return Verdict::kValid;
  POSTERN_CHECK(status.error().text() == again.error().text());
  check_text(status.error().text());
  const auto* mismatch = status.error().as<SchemaMismatch>();
  if (mismatch == nullptr) {
    POSTERN_CHECK(status.error().as<SchemaOverBound>() != nullptr);
    return Verdict::kOverBound;
  }
  POSTERN_CHECK(!mismatch->expected.empty() && !mismatch->got.empty());
  return Verdict::kMismatch;
}

Json wrapped(std::string_view keyword, Json schema) {
  return Json::object({{std::string(keyword), std::move(schema)}});
}

// Ways to say the same that no reference and no identity can tell apart.
void check_equivalents(const Json& schema, const Json& instance, Verdict verdict) {
  const std::array<Json, 4> same = {
      wrapped("allOf", Json::array({schema})), wrapped("anyOf", Json::array({false, schema})),
      wrapped("oneOf", Json::array({schema, false})), wrapped("not", wrapped("not", schema))};
  for (const Json& other : same) {
    const Verdict theirs = verdict_of(other, instance);
    if (theirs == Verdict::kValid || theirs == Verdict::kMismatch) POSTERN_CHECK(theirs == verdict);
  }
}

}  // namespace

void schema(std::string_view input) {
  const std::size_t line_end = input.find('\n');
  if (line_end == input.npos) return;
  const auto read = parse_json(input.substr(0, line_end), kBounds);
  const auto instance = parse_json(input.substr(line_end + 1), kBounds);
  if (!read || !instance) return;
  const Verdict verdict = verdict_of(*read, *instance);
  if (verdict != Verdict::kValid && verdict != Verdict::kMismatch) return;
  if (input.substr(0, line_end).find_first_of("$#") == input.npos) check_equivalents(*read, *instance, verdict);
}

}  // namespace postern::fuzz
