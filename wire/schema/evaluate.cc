#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "wire/base/canonical_json.h"
#include "wire/base/visible_text.h"
#include "wire/schema/compiled.h"

namespace postern::schema {
namespace {

constexpr std::size_t kFramesMax = 1024;  // of nested evaluations: bounds the stack whatever the references do

// Which members and elements of one instance some keyword looked at; what "unevaluated*" asks for.
struct Evaluated {
  std::vector<bool> members;
  std::vector<bool> elements;

  void take(const Evaluated& other) {
    const auto merge = [](std::vector<bool>& to, const std::vector<bool>& from) {
      if (to.size() < from.size()) to.resize(from.size());
      for (std::size_t i = 0; i < from.size(); ++i) to[i] = to[i] || from[i];
    };
    merge(members, other.members);
    merge(elements, other.elements);
  }
  static void mark(std::vector<bool>& list, std::size_t index) {
    if (list.size() <= index) list.resize(index + 1);
    list[index] = true;
  }
  static bool is_marked(const std::vector<bool>& list, std::size_t index) { return index < list.size() && list[index]; }
};

std::size_t code_points(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool is_integral(const Json& value) {
  if (value.is_integer()) return true;
  const auto number = value.number();
  return number && std::floor(*number) == *number;
}

std::uint8_t type_bit(const Json& value) {
  if (value.is_null()) return kTypeNull;
  if (value.is_bool()) return kTypeBoolean;
  if (value.is_number()) return is_integral(value) ? kTypeInteger : kTypeNumber;
  if (value.is_string()) return kTypeString;
  return value.is_array() ? kTypeArray : kTypeObject;
}

int compare(const Json& a, const Json& b) {
  const auto x = a.integer();
  const auto y = b.integer();
  if (x && y) return *x < *y ? -1 : *x > *y ? 1 : 0;
  const auto u = *a.number();
  const auto v = *b.number();
  return u < v ? -1 : u > v ? 1 : 0;
}

bool is_multiple(const Json& value, const Json& of) {
  const auto x = value.integer();
  const auto y = of.integer();
  if (x && y) return *x % *y == 0;
  const double quotient = *value.number() / *of.number();
  if (!std::isfinite(quotient)) return false;
  return std::fabs(quotient - std::round(quotient)) <= 1e-9 * std::max(1.0, std::fabs(quotient) * 1e-6);
}

class Evaluator {
 public:
  explicit Evaluator(const Compiled& compiled) : compiled_(compiled) {}

  Status run(const Json& instance) {
    Evaluated evaluated;
    const bool valid = visit(*compiled_.root, instance, evaluated);
    if (exhausted_) return *exhausted_;
    if (valid) return {};
    return mismatch_ ? *mismatch_ : SchemaMismatch{"", "a value that the schema allows", "one that it does not"};
  }

 private:
  // ---- Bookkeeping.

  bool spend(std::size_t steps) {
    steps_ += steps;
    if (steps_ > compiled_.bounds.steps_max && !exhausted_) {
      exhausted_ = SchemaOverBound{"steps of validation", compiled_.bounds.steps_max};
    }
    return !exhausted_;
  }
  bool fail(std::string expected, std::string got) {
    if (speculative_ == 0 && !mismatch_) mismatch_ = SchemaMismatch{path_text(), std::move(expected), std::move(got)};
    return false;
  }
  bool count_fail(const char* bound, std::size_t limit, const char* what, std::size_t got) {
    return fail(std::string(bound) + " " + std::to_string(limit) + " " + what, std::to_string(got) + " " + what);
  }
  [[nodiscard]] std::string path_text() const {
    std::string out;
    for (const std::string& token : path_) out += "/" + visible_line(token, 80);
    return out;
  }
  bool child(const Node& node, const Json& instance, std::string token) {
    Evaluated ignored;
    path_.push_back(std::move(token));
    const bool valid = visit(node, instance, ignored);
    path_.pop_back();
    return valid;
  }
  // Same instance, without reporting: the schema may well not match.
  bool attempt(const Node& node, const Json& instance, Evaluated& evaluated) {
    ++speculative_;
    Evaluated inner;
    const bool valid = visit(node, instance, inner);
    --speculative_;
    if (valid) evaluated.take(inner);
    return valid;
  }
  bool apply(const Node& node, const Json& instance, Evaluated& evaluated) {
    Evaluated inner;
    if (!visit(node, instance, inner)) return false;
    evaluated.take(inner);
    return true;
  }

  // ---- One schema on one instance.

  bool visit(const Node& node, const Json& instance, Evaluated& evaluated) {
    if (!spend(1)) return false;
    if (scope_.size() >= kFramesMax) {
      if (!exhausted_) exhausted_ = SchemaOverBound{"nested evaluations", kFramesMax};
      return false;
    }
    scope_.push_back(node.resource);
    const bool valid = check(node, instance, evaluated);
    scope_.pop_back();
    return valid;
  }

  bool check(const Node& node, const Json& instance, Evaluated& evaluated) {
    if (node.always) return *node.always || fail("nothing here", std::string(instance.type_name()));
    if (node.meta_schema) {
      const auto error = check_shape(instance, *node.meta_schema);
      return !error || fail("a valid schema", "one where " + error->pointer + " " + error->reason);
    }
    return check_references(node, instance, evaluated) && check_value(node, instance) && check_number(node, instance) &&
           check_string(node, instance) && check_in_place(node, instance, evaluated) &&
           check_array(node, instance, evaluated) && check_object(node, instance, evaluated);
  }

  bool check_references(const Node& node, const Json& instance, Evaluated& evaluated) {
    if (node.reference != nullptr && !apply(*node.reference, instance, evaluated)) return false;
    return !node.dynamic_reference || apply(*dynamic_target(*node.dynamic_reference), instance, evaluated);
  }

  // The outermost resource of the dynamic scope that has the anchor (JSON Schema 2020-12 core, section 8.2.3.2).
  const Node* dynamic_target(const DynamicReference& reference) {
    if (reference.anchor.empty()) return reference.initial;
    for (const Resource* resource : scope_) {
      const auto found = resource->dynamic_anchors.find(reference.anchor);
      if (found == resource->dynamic_anchors.end()) continue;
      const auto node = compiled_.node_of.find(found->second);
      if (node != compiled_.node_of.end()) return node->second;
    }
    return reference.initial;
  }

  bool check_value(const Node& node, const Json& instance) {
    if (node.types != 0 && (node.types & type_bit(instance)) == 0) {
      return fail(node.types_text, std::string(instance.type_name()));
    }
    if (!node.const_text && !node.enum_texts) return true;
    const std::string text = canonical_json(instance);
    if (!spend(1 + text.size() / 64)) return false;
    if (node.const_text && text != *node.const_text) return fail(visible_line(*node.const_text, 120), "another value");
    if (node.enum_texts && !std::binary_search(node.enum_texts->begin(), node.enum_texts->end(), text)) {
      return fail("one of " + node.enum_shown, "another value");
    }
    return true;
  }

  bool check_number(const Node& node, const Json& instance) {
    if (!instance.is_number()) return true;
    const auto shown = [&] { return instance.dump(); };
    if (node.maximum && compare(instance, *node.maximum) > 0) return fail("at most " + node.maximum->dump(), shown());
    if (node.minimum && compare(instance, *node.minimum) < 0) return fail("at least " + node.minimum->dump(), shown());
    if (node.exclusive_maximum && compare(instance, *node.exclusive_maximum) >= 0) {
      return fail("less than " + node.exclusive_maximum->dump(), shown());
    }
    if (node.exclusive_minimum && compare(instance, *node.exclusive_minimum) <= 0) {
      return fail("more than " + node.exclusive_minimum->dump(), shown());
    }
    return !node.multiple_of || is_multiple(instance, *node.multiple_of) ||
           fail("a multiple of " + node.multiple_of->dump(), shown());
  }

  bool check_string(const Node& node, const Json& instance) {
    const std::string* text = instance.string();
    if (text == nullptr) return true;
    if (node.max_length || node.min_length) {
      const std::size_t length = code_points(*text);
      if (node.max_length && length > *node.max_length)
        return count_fail("at most", *node.max_length, "characters", length);
      if (node.min_length && length < *node.min_length)
        return count_fail("at least", *node.min_length, "characters", length);
    }
    if (!node.pattern) return true;
    if (!spend(1 + text->size() / 64)) return false;
    return node.pattern->matches(*text) ||
           fail("text that matches " + visible_line(node.pattern->source(), 120), "text that does not");
  }

  bool check_in_place(const Node& node, const Json& instance, Evaluated& evaluated) {
    for (const Node* part : node.all_of) {
      if (!apply(*part, instance, evaluated)) return false;
    }
    if (!node.any_of.empty()) {
      bool any = false;
      for (const Node* part : node.any_of) {
        any = attempt(*part, instance, evaluated) || any;
        if (any && !compiled_.tracks_unevaluated) break;
      }
      if (!any)
        return fail("a match of at least one of " + std::to_string(node.any_of.size()) + " alternatives",
                    "a match of none");
    }
    if (!node.one_of.empty()) {
      std::size_t matches = 0;
      for (const Node* part : node.one_of) matches += attempt(*part, instance, evaluated) ? 1 : 0;
      if (matches != 1) {
        return fail("a match of exactly one of " + std::to_string(node.one_of.size()) + " alternatives",
                    "a match of " + std::to_string(matches));
      }
    }
    Evaluated ignored;
    if (node.negated != nullptr && attempt(*node.negated, instance, ignored)) {
      return fail("a value that the \"not\" schema refuses", "one that it allows");
    }
    if (node.if_schema == nullptr) return true;
    const Node* branch = attempt(*node.if_schema, instance, evaluated) ? node.then_schema : node.else_schema;
    return branch == nullptr || apply(*branch, instance, evaluated);
  }

  // ---- Arrays.

  bool check_array(const Node& node, const Json& instance, Evaluated& evaluated) {
    if (!instance.is_array()) return true;
    const auto& elements = instance.elements();
    const std::size_t size = elements.size();
    if (node.max_items && size > *node.max_items) return count_fail("at most", *node.max_items, "items", size);
    if (node.min_items && size < *node.min_items) return count_fail("at least", *node.min_items, "items", size);
    if (node.unique_items && !check_unique(elements)) return false;
    for (std::size_t i = 0; i < size; ++i) {
      const Node* schema = i < node.prefix_items.size() ? node.prefix_items[i] : node.items;
      if (schema == nullptr) break;
      if (!child(*schema, elements[i], std::to_string(i))) return false;
      if (compiled_.tracks_unevaluated) Evaluated::mark(evaluated.elements, i);
    }
    if (node.contains != nullptr && !check_contains(node, elements, evaluated)) return false;
    if (node.unevaluated_items == nullptr) return true;
    for (std::size_t i = 0; i < size; ++i) {
      if (Evaluated::is_marked(evaluated.elements, i)) continue;
      if (!child(*node.unevaluated_items, elements[i], std::to_string(i))) return false;
      Evaluated::mark(evaluated.elements, i);
    }
    return true;
  }

  bool check_unique(const Json::Array& elements) {
    std::unordered_set<std::string> seen;
    for (const Json& element : elements) {
      std::string text = canonical_json(element);
      if (!spend(1 + text.size() / 64)) return false;
      if (!seen.insert(std::move(text)).second) return fail("distinct items", "two equal ones");
    }
    return true;
  }

  bool check_contains(const Node& node, const Json::Array& elements, Evaluated& evaluated) {
    std::size_t matches = 0;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      Evaluated ignored;
      if (!attempt(*node.contains, elements[i], ignored)) continue;
      ++matches;
      if (node.contains_evaluates && compiled_.tracks_unevaluated) Evaluated::mark(evaluated.elements, i);
    }
    const std::size_t least = node.min_contains.value_or(1);
    if (matches < least) return count_fail("at least", least, "items that the \"contains\" schema allows", matches);
    if (node.max_contains && matches > *node.max_contains) {
      return count_fail("at most", *node.max_contains, "items that the \"contains\" schema allows", matches);
    }
    return true;
  }

  // ---- Objects.

  bool check_object(const Node& node, const Json& instance, Evaluated& evaluated) {
    if (!instance.is_object()) return true;
    const std::size_t size = instance.size();
    if (node.max_properties && size > *node.max_properties)
      return count_fail("at most", *node.max_properties, "members", size);
    if (node.min_properties && size < *node.min_properties)
      return count_fail("at least", *node.min_properties, "members", size);
    return check_required(node, instance) && check_members(node, instance, evaluated) &&
           check_dependent(node, instance, evaluated) && check_unevaluated_members(node, instance, evaluated);
  }

  bool check_required(const Node& node, const Json& instance) {
    if (node.required.empty() && node.dependent_required.empty()) return true;
    // Looking through a few members is quicker than an index of them.
    constexpr std::size_t kFewMembers = 32;
    const bool few = instance.size() <= kFewMembers;
    std::unordered_set<std::string_view> names;
    if (!few)
      for (const auto& member : instance.members()) names.insert(member.first);
    const auto has = [&](const std::string& name) { return few ? instance.has(name) : names.count(name) > 0; };
    if (!spend(1 + instance.size() / 8 + node.required.size() / 8)) return false;
    for (const std::string& name : node.required) {
      if (!has(name)) return fail("the member \"" + visible_line(name, 80) + "\"", "none of that name");
    }
    for (const auto& [trigger, wanted] : node.dependent_required) {
      if (!has(trigger)) continue;
      for (const std::string& name : wanted) {
        if (!has(name)) {
          return fail("the member \"" + visible_line(name, 80) + "\" beside \"" + visible_line(trigger, 80) + "\"",
                      "none of that name");
        }
      }
    }
    return true;
  }

  bool check_members(const Node& node, const Json& instance, Evaluated& evaluated) {
    if (node.properties.empty() && node.pattern_properties.empty() && node.additional_properties == nullptr &&
        node.property_names == nullptr)
      return true;
    std::size_t index = 0;
    for (const auto& [name, value] : instance.members()) {
      if (!check_member(node, name, value, index++, evaluated)) return false;
    }
    return true;
  }

  bool check_member(const Node& node, const std::string& name, const Json& value, std::size_t index,
                    Evaluated& evaluated) {
    if (!spend(1 + node.pattern_properties.size() * (1 + name.size() / 64))) return false;
    if (node.property_names != nullptr && !child(*node.property_names, Json(name), name)) return false;
    bool looked_at = false;
    const auto property = node.properties.find(name);
    if (property != node.properties.end()) {
      looked_at = true;
      if (!child(*property->second, value, name)) return false;
    }
    for (const auto& [pattern, schema] : node.pattern_properties) {
      if (!pattern.matches(name)) continue;
      looked_at = true;
      if (!child(*schema, value, name)) return false;
    }
    if (!looked_at && node.additional_properties != nullptr) {
      looked_at = true;
      if (node.additional_properties->always == false) {
        return fail("no member \"" + visible_line(name, 80) + "\"", "one");
      }
      if (!child(*node.additional_properties, value, name)) return false;
    }
    if (looked_at && compiled_.tracks_unevaluated) Evaluated::mark(evaluated.members, index);
    return true;
  }

  bool check_dependent(const Node& node, const Json& instance, Evaluated& evaluated) {
    for (const auto& [trigger, schema] : node.dependent_schemas) {
      if (instance.has(trigger) && !apply(*schema, instance, evaluated)) return false;
    }
    return true;
  }

  bool check_unevaluated_members(const Node& node, const Json& instance, Evaluated& evaluated) {
    if (node.unevaluated_properties == nullptr) return true;
    std::size_t index = 0;
    for (const auto& [name, value] : instance.members()) {
      const std::size_t at = index++;
      if (Evaluated::is_marked(evaluated.members, at)) continue;
      if (!child(*node.unevaluated_properties, value, name)) return false;
      Evaluated::mark(evaluated.members, at);
    }
    return true;
  }

  const Compiled& compiled_;
  std::vector<const Resource*> scope_;
  std::vector<std::string> path_;
  std::optional<SchemaMismatch> mismatch_;
  std::optional<SchemaOverBound> exhausted_;
  std::size_t steps_ = 0;
  int speculative_ = 0;
};

}  // namespace
}  // namespace postern::schema

namespace postern {

Status Schema::validate(const Json& instance) const {
  return schema::Evaluator(*compiled_).run(instance);
}

}  // namespace postern
