#include <algorithm>

#include "wire/base/canonical_json.h"
#include "wire/base/uri.h"
#include "wire/base/visible_text.h"
#include "wire/schema/compiled.h"
#include "wire/schema/uri_reference.h"

namespace postern::schema {
namespace {

constexpr std::size_t kPointerBytesMax = 400;   // of a subschema's place, for error texts
constexpr std::size_t kBaseUriBytesMax = 2048;  // each resource keeps its own
constexpr std::string_view kValidationVocabulary = "https://json-schema.org/draft/2020-12/vocab/validation";

std::string unescape_pointer_token(std::string token) {
  for (std::size_t at = 0; (at = token.find('~', at)) != token.npos; ++at) {
    if (token.compare(at, 2, "~1") == 0)
      token.replace(at, 2, "/");
    else if (token.compare(at, 2, "~0") == 0)
      token.replace(at, 2, "~");
  }
  return token;
}

const Json* step_into(const Json& value, const std::string& token) {
  if (value.is_object()) return value.find(token);
  if (token.empty() || token.size() > 6 || token.find_first_not_of("0123456789") != token.npos) return nullptr;
  const std::size_t index = std::stoul(token);
  return index < value.elements().size() ? &value.elements()[index] : nullptr;
}

class Compiler {
 public:
  Compiler(Compiled& out, const SchemaDocuments& documents) : out_(out), documents_(documents) {}

  Status compile(const Json& schema) {
    out_.documents.push_back(schema);
    POSTERN_TRY_VOID(load(out_.documents.back(), "", Dialect{}));
    out_.root = node_for(&out_.documents.back());
    while (!pending_.empty()) {
      const auto [json, node] = pending_.back();
      pending_.pop_back();
      POSTERN_TRY_VOID(fill(*json, *node));
    }
    return {};
  }

 private:
  // ---- Reading documents: resources, anchors, and where each subschema belongs.

  struct Place {
    Resource* resource;
    std::string pointer;  // in its document, for error texts
  };

  // `dialect` holds where the document names none: the default, or that of the document which refers to it.
  Status load(const Json& document, const std::string& uri, Dialect dialect) {
    POSTERN_TRY_VOID(read_dialect(document, dialect));
    if (auto error = shape_error(document, dialect)) return *std::move(error);
    Resource& resource = add_resource(document, uri, dialect);
    return scan(document, resource, "", 0);
  }

  std::optional<Failure> shape_error(const Json& document, const Dialect& dialect) {
    if (depth_of(document, 0) > out_.bounds.depth_max)
      return SchemaOverBound{"levels of nesting", out_.bounds.depth_max};
    if (auto error = check_shape(document, dialect.draft))
      return SchemaInvalid{visible_line(error->pointer), error->reason};
    return std::nullopt;
  }

  static std::size_t depth_of(const Json& value, std::size_t above) {
    std::size_t deepest = above;
    for (const Json& element : value.elements()) deepest = std::max(deepest, depth_of(element, above + 1));
    for (const auto& member : value.members()) deepest = std::max(deepest, depth_of(member.second, above + 1));
    return deepest;
  }

  Resource& add_resource(const Json& root, std::string base_uri, const Dialect& dialect) {
    out_.resources.push_back({std::move(base_uri), &root, dialect, {}, {}});
    Resource& resource = out_.resources.back();
    by_uri_.emplace(resource.base_uri, &resource);
    return resource;
  }

  // "$schema" of a resource's root; absent leaves `dialect` as it is.
  Status read_dialect(const Json& schema, Dialect& dialect) {
    const std::string_view uri = schema.string_at("$schema");
    if (uri.empty()) return {};
    if (const auto draft = draft_of_uri(uri)) {
      dialect = {*draft, true};
      return {};
    }
    const auto meta = documents_.find(uri);
    if (meta == documents_.end()) return SchemaUnsupportedDialect{visible_line(uri, 200)};
    const auto draft = draft_of_uri(meta->second.string_at("$schema"));
    if (!draft) return SchemaUnsupportedDialect{visible_line(uri, 200)};
    const Json* vocabulary = meta->second.find("$vocabulary");
    dialect = {*draft, vocabulary == nullptr || vocabulary->has(kValidationVocabulary)};
    return {};
  }

  Status scan(const Json& schema, Resource& above, const std::string& pointer, std::size_t depth) {
    if (place_of_.size() >= out_.bounds.subschemas_max)
      return SchemaOverBound{"subschemas", out_.bounds.subschemas_max};
    if (depth > out_.bounds.depth_max) return SchemaOverBound{"levels of nesting", out_.bounds.depth_max};
    Resource* resource = &above;
    if (schema.is_object()) POSTERN_TRY_VOID(read_identity(schema, resource));
    place_of_.emplace(&schema, Place{resource, pointer});
    if (resource->dialect.draft == Draft::k07 && schema.has("$ref")) return {};  // its siblings do not count
    for (const Subschema& part : subschemas_of(schema, resource->dialect.draft)) {
      // A long name above thousands of subschemas must not be kept with each of them.
      const bool shown = pointer.size() + part.pointer.size() <= kPointerBytesMax;
      POSTERN_TRY_VOID(scan(*part.schema, *resource, shown ? pointer + part.pointer : pointer, depth + 1));
    }
    return {};
  }

  // "$id" starts a resource; "$anchor", "$dynamicAnchor" and draft-07's "#name" ids name places in one.
  Status read_identity(const Json& schema, Resource*& resource) {
    const bool draft07 = resource->dialect.draft == Draft::k07;
    const std::string_view id = schema.string_at("$id");
    if (!id.empty() && !(draft07 && schema.has("$ref"))) {
      const auto [uri, fragment] = split_fragment(resolve_reference(resource->base_uri, id));
      if (uri.size() > kBaseUriBytesMax) return SchemaOverBound{"bytes of a base URI", kBaseUriBytesMax};
      if (draft07 && id.front() == '#') {
        resource->anchors.emplace(fragment, &schema);
      } else if (&schema == resource->root) {
        resource->base_uri = uri;
        by_uri_.emplace(uri, resource);
      } else {
        Dialect dialect = resource->dialect;
        POSTERN_TRY_VOID(read_dialect(schema, dialect));
        resource = &add_resource(schema, uri, dialect);
        if (!fragment.empty()) resource->anchors.emplace(fragment, &schema);
      }
    }
    if (draft07) return {};
    if (const auto anchor = schema.string_at("$anchor"); !anchor.empty()) resource->anchors.emplace(anchor, &schema);
    if (const auto anchor = schema.string_at("$dynamicAnchor"); !anchor.empty()) {
      resource->anchors.emplace(anchor, &schema);
      resource->dynamic_anchors.emplace(anchor, &schema);
    }
    return {};
  }

  // ---- References.

  Result<const Node*> resolve(const Resource& from, std::string_view reference) {
    const std::string absolute = resolve_reference(from.base_uri, reference);
    const auto [uri, fragment] = split_fragment(absolute);
    Resource* resource = find_resource(uri);
    if (resource == nullptr) {
      if (const auto draft = draft_of_uri(uri); draft && fragment.empty()) return meta_node(*draft);
      const auto document = documents_.find(uri);
      if (document == documents_.end()) return SchemaUnresolvedReference{visible_line(absolute, 200)};
      out_.documents.push_back(document->second);
      POSTERN_TRY_VOID(load(out_.documents.back(), uri, from.dialect));
      resource = find_resource(uri);
    }
    const Json* target = fragment.empty() ? resource->root : find_fragment(*resource, fragment);
    if (target == nullptr || !(target->is_object() || target->is_bool())) {
      return SchemaUnresolvedReference{visible_line(absolute, 200)};
    }
    if (place_of_.find(target) == place_of_.end()) {
      if (auto error = check_shape(*target, resource->dialect.draft))
        return SchemaInvalid{visible_line(absolute), error->reason};
      POSTERN_TRY_VOID(scan(*target, *resource, "#" + fragment, 0));
    }
    return node_for(target);
  }

  Resource* find_resource(const std::string& uri) {
    const auto found = by_uri_.find(uri);
    return found == by_uri_.end() ? nullptr : found->second;
  }

  const Json* find_fragment(const Resource& resource, const std::string& fragment) {
    const auto decoded = percent_decode(fragment);
    if (!decoded) return nullptr;
    if (decoded->front() != '/') {
      const auto anchor = resource.anchors.find(*decoded);
      return anchor == resource.anchors.end() ? nullptr : anchor->second;
    }
    const Json* value = resource.root;
    std::size_t start = 1;
    while (value != nullptr) {
      const std::size_t end = decoded->find('/', start);
      value =
          step_into(*value, unescape_pointer_token(decoded->substr(start, end == decoded->npos ? end : end - start)));
      if (end == decoded->npos) break;
      start = end + 1;
    }
    return value;
  }

  const Node* meta_node(Draft draft) {
    out_.nodes.emplace_back();
    out_.nodes.back().resource = &out_.resources.front();
    out_.nodes.back().meta_schema = draft;
    return &out_.nodes.back();
  }

  // ---- Nodes. Made empty first and filled from a list, so that cycles of references need no recursion.

  const Node* node_for(const Json* json) {
    const auto found = out_.node_of.find(json);
    if (found != out_.node_of.end()) return found->second;
    out_.nodes.emplace_back();
    Node* node = &out_.nodes.back();
    node->resource = place_of_.at(json).resource;
    out_.node_of.emplace(json, node);
    pending_.emplace_back(json, node);
    return node;
  }

  Status fill(const Json& json, Node& node) {
    if (const auto flag = json.boolean()) {
      node.always = *flag;
      return {};
    }
    const Resource& resource = *node.resource;
    const bool draft07 = resource.dialect.draft == Draft::k07;
    if (const Json* reference = json.find("$ref")) {
      POSTERN_TRY(node.reference, resolve(resource, *reference->string()));
      if (draft07) return {};
    }
    if (const auto reference = json.string_at("$dynamicRef"); !draft07 && !reference.empty()) {
      POSTERN_TRY_VOID(fill_dynamic_reference(reference, node));
    }
    if (resource.dialect.validation) POSTERN_TRY_VOID(fill_assertions(json, node));
    fill_applicators(json, node);
    fill_array_applicators(json, node, draft07);
    return fill_object_applicators(json, node, draft07);
  }

  Status fill_dynamic_reference(std::string_view reference, Node& node) {
    POSTERN_TRY(const Node* initial, resolve(*node.resource, reference));
    const std::string anchor = split_fragment(reference).second;
    const auto& anchors = initial->resource->dynamic_anchors;
    const auto found = anchors.find(anchor);
    const bool dynamic = found != anchors.end() && out_.node_of.find(found->second) != out_.node_of.end() &&
                         out_.node_of.at(found->second) == initial;
    node.dynamic_reference = DynamicReference{initial, dynamic ? anchor : std::string()};
    if (dynamic) {
      // Whatever the dynamic scope selects later must have its node by then.
      std::size_t& looked_at = resources_looked_at_[anchor];
      for (; looked_at < out_.resources.size(); ++looked_at) {
        const Resource& other = out_.resources[looked_at];
        const auto target = other.dynamic_anchors.find(anchor);
        if (target != other.dynamic_anchors.end()) node_for(target->second);
      }
    }
    return {};
  }

  Status fill_assertions(const Json& json, Node& node) {
    if (const Json* type = json.find("type")) fill_types(*type, node);
    if (const Json* value = json.find("const")) node.const_text = canonical_json(*value);
    if (const Json* values = json.find("enum")) fill_enum(*values, node);
    const auto number = [&](std::string_view name, std::optional<Json>& to) {
      if (const Json* value = json.find(name)) to = *value;
    };
    number("multipleOf", node.multiple_of);
    number("maximum", node.maximum);
    number("exclusiveMaximum", node.exclusive_maximum);
    number("minimum", node.minimum);
    number("exclusiveMinimum", node.exclusive_minimum);
    const auto count = [&](std::string_view name, std::optional<std::size_t>& to) {
      if (const Json* value = json.find(name)) to = static_cast<std::size_t>(std::min(*value->number(), 1e15));
    };
    count("maxLength", node.max_length);
    count("minLength", node.min_length);
    count("maxItems", node.max_items);
    count("minItems", node.min_items);
    count("maxProperties", node.max_properties);
    count("minProperties", node.min_properties);
    if (node.resource->dialect.draft == Draft::k2020_12) {
      count("maxContains", node.max_contains);
      count("minContains", node.min_contains);
      fill_dependent_required(json.find("dependentRequired"), node);
    }
    node.unique_items = json.boolean_at("uniqueItems").value_or(false);
    if (const Json* names = json.find("required")) node.required = strings_of(*names);
    if (const Json* pattern = json.find("pattern")) {
      POSTERN_TRY(node.pattern, compile_pattern(*pattern->string(), place_of_.at(&json).pointer + "/pattern"));
    }
    return {};
  }

  // "(a{1,100}){1,9}" is a large program in a few bytes.
  Result<Pattern> compile_pattern(std::string_view ecma, const std::string& pointer) {
    POSTERN_TRY(Pattern pattern, Pattern::compile(ecma, pointer));
    pattern_instructions_ += pattern.instructions();
    if (pattern_instructions_ > out_.bounds.pattern_instructions_max) {
      return SchemaOverBound{"instructions of patterns", out_.bounds.pattern_instructions_max};
    }
    return pattern;
  }

  static void fill_types(const Json& type, Node& node) {
    const auto add = [&](const std::string& name) {
      const std::pair<std::string_view, int> kBits[] = {
          {"null", kTypeNull},       {"boolean", kTypeBoolean},
          {"integer", kTypeInteger}, {"number", kTypeInteger | kTypeNumber},
          {"string", kTypeString},   {"array", kTypeArray},
          {"object", kTypeObject}};
      for (const auto& [known, bits] : kBits) {
        if (known == name) node.types = static_cast<std::uint8_t>(node.types | bits);
      }
      node.types_text += (node.types_text.empty() ? "" : " or ") + name;
    };
    if (const std::string* name = type.string()) add(*name);
    for (const Json& element : type.elements()) add(*element.string());
  }

  static void fill_enum(const Json& values, Node& node) {
    node.enum_texts.emplace();
    for (const Json& value : values.elements()) node.enum_texts->push_back(canonical_json(value));
    for (const std::string& text : *node.enum_texts) {
      if (node.enum_shown.size() > 160) break;
      node.enum_shown += (node.enum_shown.empty() ? "" : ", ") + visible_line(text, 60);
    }
    std::sort(node.enum_texts->begin(), node.enum_texts->end());
  }

  static std::vector<std::string> strings_of(const Json& list) {
    std::vector<std::string> out;
    for (const Json& element : list.elements()) out.push_back(*element.string());
    return out;
  }

  static void fill_dependent_required(const Json* map, Node& node) {
    if (map == nullptr) return;
    for (const auto& [name, names] : map->members()) node.dependent_required.emplace_back(name, strings_of(names));
  }

  const Node* optional_node(const Json& json, std::string_view keyword) {
    const Json* value = json.find(keyword);
    return value == nullptr ? nullptr : node_for(value);
  }

  std::vector<const Node*> node_list(const Json* list) {
    std::vector<const Node*> out;
    if (list == nullptr) return out;
    for (const Json& element : list->elements()) out.push_back(node_for(&element));
    return out;
  }

  void fill_applicators(const Json& json, Node& node) {
    node.all_of = node_list(json.find("allOf"));
    node.any_of = node_list(json.find("anyOf"));
    node.one_of = node_list(json.find("oneOf"));
    node.negated = optional_node(json, "not");
    node.if_schema = optional_node(json, "if");
    node.then_schema = optional_node(json, "then");
    node.else_schema = optional_node(json, "else");
  }

  void fill_array_applicators(const Json& json, Node& node, bool draft07) {
    node.contains = optional_node(json, "contains");
    node.contains_evaluates = !draft07;
    const Json* items = json.find("items");
    if (draft07 && items != nullptr && items->is_array()) {
      node.prefix_items = node_list(items);
      node.items = optional_node(json, "additionalItems");
    } else {
      if (!draft07) node.prefix_items = node_list(json.find("prefixItems"));
      node.items = items == nullptr ? nullptr : node_for(items);
    }
    if (!draft07) node.unevaluated_items = optional_node(json, "unevaluatedItems");
    out_.tracks_unevaluated = out_.tracks_unevaluated || node.unevaluated_items != nullptr;
  }

  Status fill_object_applicators(const Json& json, Node& node, bool draft07) {
    if (const Json* properties = json.find("properties")) {
      for (const auto& [name, value] : properties->members()) node.properties.emplace(name, node_for(&value));
    }
    if (const Json* patterns = json.find("patternProperties")) {
      for (const auto& [ecma, value] : patterns->members()) {
        POSTERN_TRY(Pattern pattern, compile_pattern(ecma, place_of_.at(&json).pointer + "/patternProperties"));
        node.pattern_properties.emplace_back(std::move(pattern), node_for(&value));
      }
    }
    node.additional_properties = optional_node(json, "additionalProperties");
    node.property_names = optional_node(json, "propertyNames");
    const Json* dependent = json.find(draft07 ? "dependencies" : "dependentSchemas");
    if (dependent != nullptr) {
      for (const auto& [name, value] : dependent->members()) {
        if (value.is_array())
          node.dependent_required.emplace_back(name, strings_of(value));
        else
          node.dependent_schemas.emplace_back(name, node_for(&value));
      }
    }
    if (!draft07) node.unevaluated_properties = optional_node(json, "unevaluatedProperties");
    out_.tracks_unevaluated = out_.tracks_unevaluated || node.unevaluated_properties != nullptr;
    return {};
  }

  Compiled& out_;
  const SchemaDocuments& documents_;
  std::unordered_map<std::string, Resource*> by_uri_;
  std::unordered_map<const Json*, Place> place_of_;
  std::vector<std::pair<const Json*, Node*>> pending_;
  std::map<std::string, std::size_t> resources_looked_at_;  // for each dynamic anchor
  std::size_t pattern_instructions_ = 0;
};

}  // namespace
}  // namespace postern::schema

namespace postern {

Result<Schema> Schema::compile(const Json& schema, SchemaBounds bounds, const SchemaDocuments& documents) {
  auto compiled = std::make_shared<schema::Compiled>();
  compiled->bounds = bounds;
  POSTERN_TRY_VOID(schema::Compiler(*compiled, documents).compile(schema));
  return Schema(std::move(compiled));
}

}  // namespace postern
