// The compiled form of a schema: one node a subschema, with its keywords read and its references resolved. Internal to
// wire/schema.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "wire/base/json.h"
#include "wire/schema/dialect.h"
#include "wire/schema/pattern.h"
#include "wire/schema/schema.h"

namespace postern::schema {

struct Node;

// A document or an embedded one: what "$id" makes. Its dynamic anchors take part in "$dynamicRef".
struct Resource {
  std::string base_uri;
  const Json* root = nullptr;
  Dialect dialect;
  std::unordered_map<std::string, const Json*> anchors;
  std::unordered_map<std::string, const Json*> dynamic_anchors;
};

enum TypeBits : std::uint8_t {
  kTypeNull = 1,
  kTypeBoolean = 2,
  kTypeInteger = 4,
  kTypeNumber = 8,
  kTypeString = 16,
  kTypeArray = 32,
  kTypeObject = 64,
};

struct DynamicReference {
  const Node* initial = nullptr;
  std::string anchor;  // empty: the target is no dynamic anchor, so the reference is an ordinary one
};

struct Node {
  const Resource* resource = nullptr;
  std::optional<bool> always;        // a boolean schema
  std::optional<Draft> meta_schema;  // stands for the dialect's own meta-schema

  const Node* reference = nullptr;
  std::optional<DynamicReference> dynamic_reference;

  std::uint8_t types = 0;  // 0: any
  std::string types_text;
  std::optional<std::string> const_text;               // canonical JSON
  std::optional<std::vector<std::string>> enum_texts;  // canonical JSON, sorted
  std::string enum_shown;
  std::optional<Json> multiple_of, maximum, exclusive_maximum, minimum, exclusive_minimum;
  std::optional<std::size_t> max_length, min_length, max_items, min_items, max_properties, min_properties;
  std::optional<std::size_t> max_contains, min_contains;
  bool unique_items = false;
  std::optional<Pattern> pattern;

  std::vector<const Node*> all_of, any_of, one_of;
  const Node* negated = nullptr;
  const Node* if_schema = nullptr;
  const Node* then_schema = nullptr;
  const Node* else_schema = nullptr;

  std::vector<const Node*> prefix_items;
  const Node* items = nullptr;  // after the prefix
  const Node* contains = nullptr;
  bool contains_evaluates = true;  // 2020-12: items that "contains" matched count as evaluated
  const Node* unevaluated_items = nullptr;

  std::map<std::string, const Node*, std::less<>> properties;
  std::vector<std::pair<Pattern, const Node*>> pattern_properties;
  const Node* additional_properties = nullptr;
  const Node* property_names = nullptr;
  const Node* unevaluated_properties = nullptr;
  std::vector<std::string> required;
  std::vector<std::pair<std::string, std::vector<std::string>>> dependent_required;
  std::vector<std::pair<std::string, const Node*>> dependent_schemas;
};

struct Compiled {
  SchemaBounds bounds;
  bool tracks_unevaluated = false;  // some node needs to know what its neighbours evaluated
  std::deque<Json> documents;       // stable addresses
  std::deque<Resource> resources;
  std::deque<Node> nodes;
  const Node* root = nullptr;
  std::unordered_map<const Json*, const Node*> node_of;
};

}  // namespace postern::schema
