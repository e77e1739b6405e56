// Schemas with instances that cost a validator the most they can: each pair is at most 64 KB of JSON text together, and
// a strange server may send it. The tests show that each ends (valid, not, or over a bound by name), the bench in how
// much time.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "wire/base/json.h"

namespace postern::test {

struct SchemaPair {
  std::string name;
  Json schema;
  Json instance;
};

namespace schema_pairs {

inline Json object(std::string name, Json value) {
  return Json::object({{std::move(name), std::move(value)}});
}
inline Json times(int count, const Json& value) {
  Json list = Json::array();
  for (int i = 0; i < count; ++i) list.push(value);
  return list;
}
inline Json reference_to(const std::string& to) {
  return object("$ref", to);
}
inline std::string number(int i) {
  return std::to_string(i);
}
// {"$ref":"#/$defs/l30"}, where each level asks for the one below it twice: `last` is evaluated 2^30 times.
inline Json doubling(const std::string& keyword, Json last, int levels = 30) {
  Json definitions = object("l0", std::move(last));
  for (int i = 1; i <= levels; ++i) {
    definitions.append_member("l" + number(i), object(keyword, times(2, reference_to("#/$defs/l" + number(i - 1)))));
  }
  Json schema = reference_to("#/$defs/l" + number(levels));
  return schema.append_member("$defs", std::move(definitions));
}
inline Json members(int count, const Json& value) {
  Json json = Json::object();
  for (int i = 0; i < count; ++i) json.append_member("m" + number(i), value);
  return json;
}
inline Json names(int from, int count) {
  Json list = Json::array();
  for (int i = from; i < from + count; ++i) list.push("m" + number(i));
  return list;
}

inline void add_compositions(std::vector<SchemaPair>& out) {
  out.push_back({"allOf, doubled", doubling("allOf", object("type", "integer")), 1});
  out.push_back({"anyOf, doubled, no match", doubling("anyOf", object("maxLength", 3)), "four"});
  out.push_back({"oneOf, doubled, enum", doubling("oneOf", object("enum", names(0, 2000))), std::string(500, 'x')});
  out.push_back({"if and not, doubled",
                 doubling("allOf", Json::object({{"not", false}, {"if", false}, {"else", object("minimum", 0)}})), 7});
  Json chain = object("l0", object("items", true));
  for (int i = 1; i <= 500; ++i) chain.append_member("l" + number(i), reference_to("#/$defs/l" + number(i - 1)));
  out.push_back(
      {"a chain of references that hands up what it evaluated",
       Json::object(
           {{"allOf", times(20, reference_to("#/$defs/l500"))}, {"unevaluatedItems", false}, {"$defs", chain}}),
       times(12'000, 1)});
}

inline void add_arrays(std::vector<SchemaPair>& out) {
  Json numbers = Json::array();
  for (int i = 0; i < 5000; ++i) numbers.push(i);
  out.push_back({"uniqueItems", doubling("allOf", object("uniqueItems", true)), numbers});
  Json similar = Json::array();
  for (int i = 0; i < 200; ++i) similar.push(std::string(250, 'a') + number(i));
  out.push_back({"uniqueItems of similar texts", doubling("allOf", object("uniqueItems", true)), similar});
  out.push_back({"contains", object("allOf", times(1200, object("contains", object("const", 1)))), times(14'000, 1)});
  out.push_back({"const of a large value", doubling("allOf", object("const", numbers)), numbers});
  Json large = members(2000, Json::array({1, 2.5}));
  out.push_back({"enum of a large value", doubling("anyOf", object("enum", Json::array({Json::object(), 1}))), large});
  out.push_back(
      {"multipleOf", object("allOf", times(900, object("items", object("multipleOf", 0.7)))), times(7000, 0.7)});
  out.push_back({"unevaluatedItems", doubling("allOf", Json::object({{"items", true}, {"unevaluatedItems", false}})),
                 times(20'000, 1)});
}

inline void add_objects(std::vector<SchemaPair>& out) {
  Json patterns = Json::object();
  for (int i = 0; i < 40; ++i) patterns.set("^(a|b|ab)*" + number(i) + "$", object("type", "integer"));
  Json many = Json::object();
  for (int i = 0; i < 4600; ++i) many.append_member("ab" + number(i), Json(i));
  out.push_back({"patternProperties", object("patternProperties", patterns), many});
  const Json instance = members(3000, 1);
  Json dependent = Json::object();
  for (int i = 0; i < 2500; ++i) dependent.append_member("x" + number(i), true);
  out.push_back({"dependentSchemas", doubling("allOf", object("dependentSchemas", dependent)), instance});
  out.push_back({"required", doubling("allOf", object("required", names(0, 3000))), instance});
  Json triggers = Json::object();
  for (int i = 0; i < 60; ++i) triggers.append_member("m" + number(i), names(0, 60));
  out.push_back({"dependentRequired", doubling("allOf", object("dependentRequired", triggers)), members(900, 1)});
  out.push_back({"unevaluatedProperties",
                 object("allOf", times(800, Json::object({{"properties", Json::object({{"m1", true}})},
                                                          {"unevaluatedProperties", true}}))),
                 members(1500, 1)});
  Json long_name = object(std::string(30'000, 'n'), 1);
  out.push_back({"a long name",
                 doubling("allOf", Json::object({{"propertyNames", object("maxLength", 40'000)},
                                                 {"properties", Json::object({{"n", true}})},
                                                 {"additionalProperties", object("type", "integer")}})),
                 long_name});
}

inline void add_references(std::vector<SchemaPair>& out) {
  Json tree = Json::object({{"$id", "http://h/t"}, {"$dynamicAnchor", "n"}, {"type", "array"}});
  tree.append_member("anyOf", times(2, object("items", object("$dynamicRef", "#n"))));
  Json deep = 1;
  for (int i = 0; i < 40; ++i) deep = Json::array({deep});
  out.push_back({"$dynamicRef, doubled", object("not", tree), deep});
  out.push_back({"the meta-schema",
                 object("allOf", times(400, reference_to("https://json-schema.org/draft/2020-12/schema"))),
                 object("anyOf", times(2250, object("type", "integer")))});
  Json resources = Json::array();
  for (int i = 0; i < 700; ++i) {
    resources.push(Json::object({{"$id", "r" + number(i)}, {"$dynamicAnchor", "a"}, {"$dynamicRef", "#a"}}));
  }
  out.push_back({"$dynamicRef, many resources", object("$defs", object("x", object("anyOf", resources))), 1});
  Json hidden = Json::object();
  for (int i = 0; i < 1400; ++i) hidden.append_member("x" + number(i), Json::object());
  Json refs = Json::array();
  for (int i = 0; i < 1400; ++i) refs.push(reference_to("#/h/x" + number(i)));
  out.push_back({"references to unknown places", Json::object({{"allOf", refs}, {"h", hidden}}), 1});
  out.push_back({"a long name above many subschemas",
                 object("$defs", object(std::string(30'000, 'n'), object("anyOf", times(4000, Json::object())))), 1});
  Json ids = Json::array();
  for (int i = 0; i < 1800; ++i) ids.push(object("$id", number(i)));
  out.push_back(
      {"a long base", Json::object({{"$id", "http://h/" + std::string(2000, 'p') + "/"}, {"anyOf", ids}}), 1});
}

inline void add_strings(std::vector<SchemaPair>& out) {
  std::string text;
  for (unsigned i = 0, x = 1; i < 40'000; ++i, x = x * 1103515245U + 12345U) text += (x >> 16U) % 2 == 0 ? 'a' : 'b';
  out.push_back({"a pattern with many states", doubling("anyOf", object("pattern", "a[ab]{24}c")), text});
  out.push_back({"a large pattern on a long text", object("pattern", "(x+x+){1,200}y"), std::string(60'000, 'x')});
  out.push_back({"letters of any script", doubling("allOf", object("pattern", "^\\p{L}+$")), std::string(60'000, 'x')});
  out.push_back({"maxLength", doubling("allOf", object("maxLength", 100'000)), std::string(60'000, 'x')});
  Json large = Json::object();
  for (int i = 0; i < 2300; ++i) large.append_member("(a{1,30}){1,30}" + number(i), true);
  out.push_back({"patterns that are large programs", object("patternProperties", large), 1});
  Json wide = Json::object();
  for (int i = 0; i < 2500; ++i) wide.append_member("[^\\p{Lu}]" + number(i), true);
  out.push_back({"patterns of many ranges", object("patternProperties", wide), 1});
  std::string braces;
  for (int i = 0; i < 15'000; ++i) braces += "\\u{";
  out.push_back({"a pattern of open braces", object("pattern", braces), 1});
}

}  // namespace schema_pairs

inline std::vector<SchemaPair> expensive_schema_pairs() {
  std::vector<SchemaPair> out;
  schema_pairs::add_compositions(out);
  schema_pairs::add_arrays(out);
  schema_pairs::add_objects(out);
  schema_pairs::add_references(out);
  schema_pairs::add_strings(out);
  return out;
}

}  // namespace postern::test
