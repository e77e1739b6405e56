#include "wire/schema/dialect.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace postern::schema {
namespace {

enum class Shape {
  kSchema,
  kSchemaList,    // a non-empty array of schemas
  kSchemaMap,     // an object of schemas
  kSchemaOrList,  // draft-07 items
  kDependencies,  // draft-07: an object of schemas or lists of names
  kBoolean,
  kCount,  // a non-negative integer
  kNumber,
  kPositiveNumber,
  kString,
  kNames,     // an array of distinct strings
  kNamesMap,  // an object of such arrays
  kTypes,
  kArray,  // any array
  kAnchor,
  kId,
};

struct Row {
  std::string_view keyword;
  Shape shape;
  bool in_2020_12;
  bool in_07;
};

constexpr std::array kRows = std::to_array<Row>({
    {"$id", Shape::kId, true, true},
    {"$schema", Shape::kString, true, true},
    {"$ref", Shape::kString, true, true},
    {"$anchor", Shape::kAnchor, true, false},
    {"$dynamicRef", Shape::kString, true, false},
    {"$dynamicAnchor", Shape::kAnchor, true, false},
    {"$comment", Shape::kString, true, true},
    {"$defs", Shape::kSchemaMap, true, false},
    {"definitions", Shape::kSchemaMap, true, true},
    {"title", Shape::kString, true, true},
    {"description", Shape::kString, true, true},
    {"readOnly", Shape::kBoolean, true, true},
    {"writeOnly", Shape::kBoolean, true, true},
    {"deprecated", Shape::kBoolean, true, false},
    {"examples", Shape::kArray, true, true},
    {"format", Shape::kString, true, true},
    {"contentEncoding", Shape::kString, true, true},
    {"contentMediaType", Shape::kString, true, true},
    {"contentSchema", Shape::kSchema, true, false},
    {"type", Shape::kTypes, true, true},
    {"enum", Shape::kArray, true, true},
    {"multipleOf", Shape::kPositiveNumber, true, true},
    {"maximum", Shape::kNumber, true, true},
    {"exclusiveMaximum", Shape::kNumber, true, true},
    {"minimum", Shape::kNumber, true, true},
    {"exclusiveMinimum", Shape::kNumber, true, true},
    {"maxLength", Shape::kCount, true, true},
    {"minLength", Shape::kCount, true, true},
    {"pattern", Shape::kString, true, true},
    {"maxItems", Shape::kCount, true, true},
    {"minItems", Shape::kCount, true, true},
    {"uniqueItems", Shape::kBoolean, true, true},
    {"maxContains", Shape::kCount, true, false},
    {"minContains", Shape::kCount, true, false},
    {"maxProperties", Shape::kCount, true, true},
    {"minProperties", Shape::kCount, true, true},
    {"required", Shape::kNames, true, true},
    {"dependentRequired", Shape::kNamesMap, true, false},
    {"dependencies", Shape::kDependencies, false, true},
    {"allOf", Shape::kSchemaList, true, true},
    {"anyOf", Shape::kSchemaList, true, true},
    {"oneOf", Shape::kSchemaList, true, true},
    {"not", Shape::kSchema, true, true},
    {"if", Shape::kSchema, true, true},
    {"then", Shape::kSchema, true, true},
    {"else", Shape::kSchema, true, true},
    {"dependentSchemas", Shape::kSchemaMap, true, false},
    {"prefixItems", Shape::kSchemaList, true, false},
    {"items", Shape::kSchema, true, false},
    {"items", Shape::kSchemaOrList, false, true},
    {"additionalItems", Shape::kSchema, false, true},
    {"contains", Shape::kSchema, true, true},
    {"unevaluatedItems", Shape::kSchema, true, false},
    {"properties", Shape::kSchemaMap, true, true},
    {"patternProperties", Shape::kSchemaMap, true, true},
    {"additionalProperties", Shape::kSchema, true, true},
    {"propertyNames", Shape::kSchema, true, true},
    {"unevaluatedProperties", Shape::kSchema, true, false},
});

const Row* row_of(std::string_view keyword, Draft draft) {
  for (const Row& row : kRows) {
    if (row.keyword == keyword && (draft == Draft::k07 ? row.in_07 : row.in_2020_12)) return &row;
  }
  return nullptr;
}

std::string escape(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

void add_list(std::vector<Subschema>& out, const std::string& pointer, const Json& list) {
  std::size_t index = 0;
  for (const Json& element : list.elements()) out.push_back({pointer + "/" + std::to_string(index++), &element});
}

void add_map(std::vector<Subschema>& out, const std::string& pointer, const Json& map) {
  for (const auto& [name, value] : map.members()) out.push_back({pointer + "/" + escape(name), &value});
}

bool is_schema(const Json& value) {
  return value.is_object() || value.is_bool();
}

bool is_count(const Json& value) {
  const auto number = value.number();
  return number && *number >= 0 && std::floor(*number) == *number;
}

bool distinct_strings(const Json& value) {
  if (!value.is_array()) return false;
  std::vector<std::string_view> names;
  for (const Json& element : value.elements()) {
    if (element.string() == nullptr) return false;
    names.push_back(*element.string());
  }
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) == names.end();
}

bool is_type_name(const Json& value) {
  constexpr std::string_view kTypes[] = {"null", "boolean", "integer", "number", "string", "array", "object"};
  const std::string* name = value.string();
  return name != nullptr && std::find(std::begin(kTypes), std::end(kTypes), *name) != std::end(kTypes);
}

bool is_anchor(const Json& value) {
  const std::string* text = value.string();
  if (text == nullptr || text->empty()) return false;
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return letter(text->front()) && std::all_of(text->begin(), text->end(), [&](char c) {
           return letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
         });
}

// Why the value has not the shape, or nothing.
std::string_view objection(const Json& value, Shape shape, Draft draft) {
  const auto all_members = [&](auto predicate) {
    return value.is_object() && std::all_of(value.members().begin(), value.members().end(),
                                            [&](const Json::Member& member) { return predicate(member.second); });
  };
  const bool list = value.is_array() && !value.elements().empty();
  switch (shape) {
    case Shape::kSchema:
      return is_schema(value) ? "" : "must be a schema";
    case Shape::kSchemaList:
      return list ? "" : "must be a non-empty array of schemas";
    case Shape::kSchemaMap:
      return value.is_object() ? "" : "must be an object of schemas";
    case Shape::kSchemaOrList:
      return is_schema(value) || list ? "" : "must be a schema or a non-empty array of schemas";
    case Shape::kDependencies:
      return all_members([](const Json& v) { return is_schema(v) || distinct_strings(v); })
                 ? ""
                 : "must be an object of schemas or name lists";
    case Shape::kBoolean:
      return value.is_bool() ? "" : "must be true or false";
    case Shape::kCount:
      return is_count(value) ? "" : "must be a non-negative integer";
    case Shape::kNumber:
      return value.is_number() ? "" : "must be a number";
    case Shape::kPositiveNumber:
      return value.number().value_or(0) > 0 ? "" : "must be a number above 0";
    case Shape::kString:
      return value.is_string() ? "" : "must be a string";
    case Shape::kNames:
      return distinct_strings(value) ? "" : "must be an array of distinct strings";
    case Shape::kNamesMap:
      return all_members(distinct_strings) ? "" : "must be an object of arrays of distinct strings";
    case Shape::kTypes: {
      const bool types = distinct_strings(value) && list &&
                         std::all_of(value.elements().begin(), value.elements().end(), is_type_name);
      return types || is_type_name(value) ? "" : "must name one or several JSON types";
    }
    case Shape::kArray:
      return value.is_array() ? "" : "must be an array";
    case Shape::kAnchor:
      return is_anchor(value) ? "" : "must be a plain name";
    case Shape::kId: {
      const std::string* text = value.string();
      if (text == nullptr) return "must be a string";
      const std::size_t hash = text->find('#');
      return draft == Draft::k07 || hash == text->npos || hash + 1 == text->size() ? "" : "must have no fragment";
    }
  }
  return "";
}

}  // namespace

std::optional<Draft> draft_of_uri(std::string_view uri) {
  if (!uri.empty() && uri.back() == '#') uri.remove_suffix(1);
  if (uri == "https://json-schema.org/draft/2020-12/schema") return Draft::k2020_12;
  if (uri == "http://json-schema.org/draft-07/schema" || uri == "https://json-schema.org/draft-07/schema")
    return Draft::k07;
  return std::nullopt;
}

std::vector<Subschema> subschemas_of(const Json& schema, Draft draft) {
  std::vector<Subschema> out;
  for (const auto& [keyword, value] : schema.members()) {
    const Row* row = row_of(keyword, draft);
    if (row == nullptr) continue;
    const std::string pointer = "/" + escape(keyword);
    switch (row->shape) {
      case Shape::kSchema:
        out.push_back({pointer, &value});
        break;
      case Shape::kSchemaList:
        add_list(out, pointer, value);
        break;
      case Shape::kSchemaMap:
        add_map(out, pointer, value);
        break;
      case Shape::kSchemaOrList:
        if (value.is_array())
          add_list(out, pointer, value);
        else
          out.push_back({pointer, &value});
        break;
      case Shape::kDependencies:
        for (const auto& [name, dependency] : value.members()) {
          if (!dependency.is_array()) out.push_back({pointer + "/" + escape(name), &dependency});
        }
        break;
      default:
        break;
    }
  }
  return out;
}

std::optional<ShapeError> check_shape(const Json& schema, Draft draft) {
  if (schema.is_bool()) return std::nullopt;
  if (!schema.is_object()) return ShapeError{"", "must be a schema: an object, true or false"};
  for (const auto& [keyword, value] : schema.members()) {
    const Row* row = row_of(keyword, draft);
    if (row == nullptr) continue;
    const std::string_view why = objection(value, row->shape, draft);
    if (!why.empty()) return ShapeError{"/" + escape(keyword), std::string(why)};
  }
  for (const Subschema& part : subschemas_of(schema, draft)) {
    if (auto error = check_shape(*part.schema, draft)) return ShapeError{part.pointer + error->pointer, error->reason};
  }
  return std::nullopt;
}

}  // namespace postern::schema
