#include <algorithm>
#include <cmath>
#include <concepts>
#include <variant>

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

  [[nodiscard]] std::size_t size() const { return members.size() + elements.size(); }
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
  const auto order = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : 0; };
  if (a.is_integer() && b.is_integer()) {  // an integer that is no int64 is above all of those
    if (a.integer() && b.integer()) return order(*a.integer(), *b.integer());
    if (!a.integer() && !b.integer()) return order(*a.unsigned_integer(), *b.unsigned_integer());
    return a.integer() ? -1 : 1;
  }
  return order(*a.number(), *b.number());
}

bool is_multiple(const Json& value, const Json& of) {
  const auto x = value.integer();
  const auto y = of.integer();
  if (x && y) return *x % *y == 0;
  const double quotient = *value.number() / *of.number();
  if (!std::isfinite(quotient)) return false;
  return std::fabs(quotient - std::round(quotient)) <= 1e-9 * std::max(1.0, std::fabs(quotient) * 1e-6);
}

// Values in the value, itself included: what checks that look at all of it cost.
std::size_t weight_of(const Json& value) {
  std::size_t weight = 1;
  for (const Json& element : value.elements()) weight += weight_of(element);
  for (const auto& member : value.members()) weight += weight_of(member.second);
  return weight;
}

// Whether a value of the instance's type can have one of these canonical texts at all, told by their first character.
bool may_equal(const Json& instance, std::string_view canonical) {
  if (instance.is_object()) return canonical.front() == '{';
  if (instance.is_array()) return canonical.front() == '[';
  if (instance.is_string()) return canonical.front() == '"';
  return canonical.front() != '{' && canonical.front() != '[' && canonical.front() != '"';
}

// A step of the budget is about 100 ns of work; these are bytes of work that pass in one.
constexpr std::size_t kBytesScanned = 64;   // counted, hashed or copied
constexpr std::size_t kBytesCanonical = 4;  // written as canonical JSON and compared
constexpr std::size_t kBitsMerged = 32;     // of what was evaluated
constexpr std::size_t kNamesLookedAt = 8;   // in a search for one
constexpr std::size_t kShapeSteps = 8;      // to hold one value against the meta-schema

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
  using Token = std::variant<std::string_view, std::size_t>;  // a member's name in the instance, or an index

  // ---- Bookkeeping.

  bool spend(std::size_t steps) {
    steps_ += steps;
    if (steps_ > compiled_.bounds.steps_max && !exhausted_) {
      exhausted_ = SchemaOverBound{"steps of validation", compiled_.bounds.steps_max};
    }
    return !exhausted_;
  }
  // Texts are made only where they will be read: most mismatches are those of alternatives that were tried.
  template <class Expected, class Got>
  bool fail(const Expected& expected, const Got& got) {
    if (speculative_ == 0 && !mismatch_) mismatch_ = SchemaMismatch{path_text(), text_of(expected), text_of(got)};
    return false;
  }
  template <class Text>
  static std::string text_of(const Text& text) {
    if constexpr (std::invocable<const Text&>) {
      return std::string(text());
    } else {
      return std::string(text);
    }
  }
  bool count_fail(const char* bound, std::size_t limit, const char* what, std::size_t got) {
    return fail([&] { return std::string(bound) + " " + std::to_string(limit) + " " + what; },
                [&] { return std::to_string(got) + " " + what; });
  }
  // A JSON Pointer (RFC 6901) of names that were made visible.
  [[nodiscard]] std::string path_text() const {
    std::string out;
    for (const Token& token : path_) {
      out += '/';
      if (const auto* index = std::get_if<std::size_t>(&token)) {
        out += std::to_string(*index);
        continue;
      }
      for (const char c : visible_line(std::get<std::string_view>(token), 80)) {
        out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
      }
    }
    return out;
  }
  bool child(const Node& node, const Json& instance, Token token) {
    Evaluated ignored;
    path_.push_back(token);
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
    return valid && merge(inner, evaluated);
  }
  bool apply(const Node& node, const Json& instance, Evaluated& evaluated) {
    Evaluated inner;
    return visit(node, instance, inner) && merge(inner, evaluated);
  }
  bool merge(const Evaluated& inner, Evaluated& evaluated) {
    if (inner.size() == 0) return true;
    if (!spend(inner.size() / kBitsMerged)) return false;
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
    const bool valid = check(node, instance, evaluated) && !exhausted_;
    scope_.pop_back();
    return valid;
  }

  bool check(const Node& node, const Json& instance, Evaluated& evaluated) {
    if (node.always) return *node.always || fail("nothing here", instance.type_name());
    if (node.meta_schema) {
      if (!spend(kShapeSteps * weight_of(instance))) return false;
      const auto error = check_shape(instance, *node.meta_schema);
      return !error ||
             fail("a valid schema", [&] { return "one where " + visible_line(error->pointer) + " " + error->reason; });
    }
    return check_references(node, instance, evaluated) && check_value(node, instance) && check_number(node, instance) &&
           check_string(node, instance) && check_in_place(node, instance, evaluated) &&
           check_array(node, instance, evaluated) && check_object(node, instance, evaluated);
  }

  bool check_references(const Node& node, const Json& instance, Evaluated& evaluated) {
    if (node.reference != nullptr && !apply(*node.reference, instance, evaluated)) return false;
    if (!node.dynamic_reference) return true;
    return spend(scope_.size() / 4) && apply(*dynamic_target(*node.dynamic_reference), instance, evaluated);
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
      return fail(node.types_text, instance.type_name());
    }
    if (!node.const_text && !node.enum_texts) return true;
    const auto& texts = node.enum_texts;
    const auto possible = [&](const std::string& text) { return may_equal(instance, text); };
    const bool wanted = (node.const_text && possible(*node.const_text)) ||
                        (texts && std::any_of(texts->begin(), texts->end(), possible));
    const std::string text = wanted ? canonical_json(instance) : std::string();
    if (!spend(1 + text.size() / kBytesCanonical + (texts ? texts->size() / 64 : 0))) return false;
    if (node.const_text && text != *node.const_text) {
      return fail([&] { return visible_line(*node.const_text, 120); }, "another value");
    }
    if (texts && !std::binary_search(texts->begin(), texts->end(), text)) {
      return fail([&] { return "one of " + node.enum_shown; }, "another value");
    }
    return true;
  }

  bool check_number(const Node& node, const Json& instance) {
    if (!instance.is_number()) return true;
    const auto shown = [&] { return instance.dump(); };
    const auto refuse = [&](const char* bound, const Json& limit) {
      return fail([&] { return bound + limit.dump(); }, shown);
    };
    if (node.maximum && compare(instance, *node.maximum) > 0) return refuse("at most ", *node.maximum);
    if (node.minimum && compare(instance, *node.minimum) < 0) return refuse("at least ", *node.minimum);
    if (node.exclusive_maximum && compare(instance, *node.exclusive_maximum) >= 0) {
      return refuse("less than ", *node.exclusive_maximum);
    }
    if (node.exclusive_minimum && compare(instance, *node.exclusive_minimum) <= 0) {
      return refuse("more than ", *node.exclusive_minimum);
    }
    return !node.multiple_of || is_multiple(instance, *node.multiple_of) || refuse("a multiple of ", *node.multiple_of);
  }

  bool check_string(const Node& node, const Json& instance) {
    const std::string* text = instance.string();
    if (text == nullptr) return true;
    if (node.max_length || node.min_length) {
      if (!spend(text->size() / kBytesScanned)) return false;
      const std::size_t length = code_points(*text);
      if (node.max_length && length > *node.max_length)
        return count_fail("at most", *node.max_length, "characters", length);
      if (node.min_length && length < *node.min_length)
        return count_fail("at least", *node.min_length, "characters", length);
    }
    if (!node.pattern) return true;
    if (!spend(node.pattern->steps_for(text->size()))) return false;
    return node.pattern->matches(*text) ||
           fail([&] { return "text that matches " + visible_line(node.pattern->source(), 120); }, "text that does not");
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
        return fail(
            [&] { return "a match of at least one of " + std::to_string(node.any_of.size()) + " alternatives"; },
            "a match of none");
    }
    if (!node.one_of.empty()) {
      std::size_t matches = 0;
      for (const Node* part : node.one_of) matches += attempt(*part, instance, evaluated) ? 1 : 0;
      if (matches != 1) {
        return fail([&] { return "a match of exactly one of " + std::to_string(node.one_of.size()) + " alternatives"; },
                    [&] { return "a match of " + std::to_string(matches); });
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
      if (!child(*schema, elements[i], i)) return false;
      if (compiled_.tracks_unevaluated) Evaluated::mark(evaluated.elements, i);
    }
    if (node.contains != nullptr && !check_contains(node, elements, evaluated)) return false;
    if (node.unevaluated_items == nullptr) return true;
    if (!spend(size / kBitsMerged)) return false;
    for (std::size_t i = 0; i < size; ++i) {
      if (Evaluated::is_marked(evaluated.elements, i)) continue;
      if (!child(*node.unevaluated_items, elements[i], i)) return false;
      Evaluated::mark(evaluated.elements, i);
    }
    return true;
  }

  bool check_unique(const Json::Array& elements) {
    std::vector<std::string> texts;
    for (const Json& element : elements) {
      texts.push_back(canonical_json(element));
      if (!spend(2 + texts.back().size() / kBytesCanonical)) return false;
    }
    std::sort(texts.begin(), texts.end());  // no choice of items makes this slow
    return std::adjacent_find(texts.begin(), texts.end()) == texts.end() || fail("distinct items", "two equal ones");
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
    constexpr std::size_t kFewMembers = 16;
    const bool few = instance.size() <= kFewMembers;
    std::vector<std::string_view> names;
    if (!few) {
      for (const auto& member : instance.members()) names.push_back(member.first);
      std::sort(names.begin(), names.end());
    }
    const auto has = [&](const std::string& name) {
      return few ? instance.has(name) : std::binary_search(names.begin(), names.end(), name);
    };
    if (!spend(1 + names.size() + node.required.size())) return false;
    for (const std::string& name : node.required) {
      if (!has(name)) return fail([&] { return member_text(name); }, "none of that name");
    }
    for (const auto& [trigger, wanted] : node.dependent_required) {
      if (!spend(1)) return false;
      if (!has(trigger)) continue;
      if (!spend(wanted.size())) return false;
      for (const std::string& name : wanted) {
        if (has(name)) continue;
        const std::string& beside = trigger;
        return fail([&] { return member_text(name) + " beside \"" + visible_line(beside, 80) + "\""; },
                    "none of that name");
      }
    }
    return true;
  }
  static std::string member_text(std::string_view name) { return "the member \"" + visible_line(name, 80) + "\""; }

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
    if (!spend(1 + name.size() / kBytesScanned)) return false;
    for (const auto& [pattern, schema] : node.pattern_properties) {
      if (!spend(pattern.steps_for(name.size()))) return false;
    }
    if (node.property_names != nullptr && !child(*node.property_names, Json(name), std::string_view(name)))
      return false;
    bool looked_at = false;
    const auto property = node.properties.find(name);
    if (property != node.properties.end()) {
      looked_at = true;
      if (!child(*property->second, value, std::string_view(name))) return false;
    }
    for (const auto& [pattern, schema] : node.pattern_properties) {
      if (!pattern.matches(name)) continue;
      looked_at = true;
      if (!child(*schema, value, std::string_view(name))) return false;
    }
    if (!looked_at && node.additional_properties != nullptr) {
      looked_at = true;
      if (node.additional_properties->always == false) {
        return fail([&] { return "no member \"" + visible_line(name, 80) + "\""; }, "one");
      }
      if (!child(*node.additional_properties, value, std::string_view(name))) return false;
    }
    if (looked_at && compiled_.tracks_unevaluated) Evaluated::mark(evaluated.members, index);
    return true;
  }

  bool check_dependent(const Node& node, const Json& instance, Evaluated& evaluated) {
    for (const auto& [trigger, schema] : node.dependent_schemas) {
      if (!spend(1 + instance.size() / kNamesLookedAt)) return false;
      if (instance.has(trigger) && !apply(*schema, instance, evaluated)) return false;
    }
    return true;
  }

  bool check_unevaluated_members(const Node& node, const Json& instance, Evaluated& evaluated) {
    if (node.unevaluated_properties == nullptr) return true;
    if (!spend(instance.size() / kBitsMerged)) return false;
    std::size_t index = 0;
    for (const auto& [name, value] : instance.members()) {
      const std::size_t at = index++;
      if (Evaluated::is_marked(evaluated.members, at)) continue;
      if (!child(*node.unevaluated_properties, value, std::string_view(name))) return false;
      Evaluated::mark(evaluated.members, at);
    }
    return true;
  }

  const Compiled& compiled_;
  std::vector<const Resource*> scope_;
  std::vector<Token> path_;
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
