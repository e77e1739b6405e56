// JSON values, strictly read.
//
// parse_json() accepts RFC 8259 JSON in UTF-8 and refuses, each by its own failure id: a text over its size bound,
// nesting over its depth bound, a member name that occurs twice, a lone surrogate, invalid UTF-8, a number that
// overflows, and anything after the value. Integers stay integers (int64, or uint64 above that; "-0", "1.0" and "1e0"
// are none); members keep their order, so that what was read can be written again.
//
// `Json` is a plain value: copyable, comparable, no exceptions. Readers never throw: they give null, an empty view or
// nothing when the value is of another type. Not thread-safe while it is changed; reading from many threads is fine.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "wire/base/result.h"

namespace postern {

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() = default;        // null
  Json(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  template <class B>
  requires std::same_as<B, bool> Json(B value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  Json(int value) : value_(std::int64_t{value}) {}                 // NOLINT(google-explicit-constructor)
  Json(std::int64_t value) : value_(value) {}                      // NOLINT(google-explicit-constructor)
  Json(std::uint64_t value);                                       // NOLINT(google-explicit-constructor)
  Json(double value) : value_(value) {}                            // NOLINT(google-explicit-constructor)
  Json(const char* value) : value_(std::string(value)) {}          // NOLINT(google-explicit-constructor)
  Json(std::string_view value) : value_(std::string(value)) {}     // NOLINT(google-explicit-constructor)
  Json(std::string value) : value_(std::move(value)) {}            // NOLINT(google-explicit-constructor)

  // Json::object({{"name", "desk"}, {"version", 1}}); names must be distinct.
  static Json object(std::initializer_list<Member> members = {}) {
    Json json;
    json.value_ = Object(members);
    return json;
  }
  static Json array(std::initializer_list<Json> elements = {}) {
    Json json;
    json.value_ = Array(elements);
    return json;
  }
  static Json array_of(Array elements) {
    Json json;
    json.value_ = std::move(elements);
    return json;
  }

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  [[nodiscard]] bool is_bool() const { return std::holds_alternative<bool>(value_); }
  [[nodiscard]] bool is_integer() const {
    return std::holds_alternative<std::int64_t>(value_) || std::holds_alternative<std::uint64_t>(value_);
  }
  [[nodiscard]] bool is_number() const { return is_integer() || std::holds_alternative<double>(value_); }
  [[nodiscard]] bool is_string() const { return std::holds_alternative<std::string>(value_); }
  [[nodiscard]] bool is_array() const { return std::holds_alternative<Array>(value_); }
  [[nodiscard]] bool is_object() const { return std::holds_alternative<Object>(value_); }
  // "null", "boolean", "integer", "number", "string", "array" or "object".
  [[nodiscard]] std::string_view type_name() const;

  // The value, or nothing when it is of another type.
  [[nodiscard]] std::optional<bool> boolean() const;
  [[nodiscard]] std::optional<std::int64_t> integer() const;  // nothing above the int64 range as well
  [[nodiscard]] std::optional<std::uint64_t> unsigned_integer() const;
  [[nodiscard]] std::optional<double> number() const;  // integers too
  // The characters, or null. Lives as long as this value is not changed.
  [[nodiscard]] const std::string* string() const { return std::get_if<std::string>(&value_); }
  [[nodiscard]] std::string* string() { return std::get_if<std::string>(&value_); }
  // Elements and members; empty when the value is of another type. Not of a temporary: a loop over it would dangle.
  [[nodiscard]] const Array& elements() const&;
  [[nodiscard]] const Object& members() const&;
  const Array& elements() && = delete;
  const Object& members() && = delete;
  [[nodiscard]] std::size_t size() const;  // of an array or object, else 0

  // The member of that name, or null when there is none or this is no object.
  [[nodiscard]] const Json* find(std::string_view name) const;
  [[nodiscard]] Json* find(std::string_view name);
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  // Shorthands for members: the string (empty view), integer or flag of that name, when it is there and of that type.
  [[nodiscard]] std::string_view string_at(std::string_view name) const;
  [[nodiscard]] std::optional<std::int64_t> integer_at(std::string_view name) const;
  [[nodiscard]] std::optional<bool> boolean_at(std::string_view name) const;

  // Adds or replaces a member. A null becomes an object first. REQUIRES null or object. Returns *this.
  Json& set(std::string name, Json value);
  // Adds a member that is known to be new, without looking. REQUIRES null or object.
  Json& append_member(std::string name, Json value);
  // Appends an element. A null becomes an array first. REQUIRES null or array. Returns *this.
  Json& push(Json value);
  // Removes a member; false when there was none.
  bool erase(std::string_view name);

  // Compact JSON text in UTF-8, members in their order. Invalid UTF-8 that a program put in is written as U+FFFD.
  [[nodiscard]] std::string dump() const;
  // The same, indented by two blanks.
  [[nodiscard]] std::string pretty() const;
  // Appends the JSON string literal of `text`, with its quotes.
  static void append_quoted(std::string& out, std::string_view text);

  // Equal as JSON values: members in any order, 1 equals 1.0.
  friend bool operator==(const Json& a, const Json& b);

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> value_;
};

struct JsonBounds {
  std::size_t bytes_max = 1 << 20;
  std::size_t depth_max = 64;
};

[[nodiscard]] Result<Json> parse_json(std::string_view text, JsonBounds bounds = {});

// The integers that peers of every language hold exactly (RFC 8259 section 6; RFC 7493 section 2.2): +-(2^53 - 1).
inline constexpr std::int64_t kSafeIntegerMax = (std::int64_t{1} << 53) - 1;
// The value of a typed field: an integer in that range, 4800.0 and 4.8e3 included (JSON Schema 2020-12 validation,
// section 6.1.1). `field` is our own name for it, and stands in the failure: json.not_an_integer, json.unsafe_integer.
// Request ids are no typed fields: they are echoed, whatever their size.
[[nodiscard]] Result<std::int64_t> safe_integer(const Json& value, std::string_view field);

// Where and why, without the text itself.
struct MalformedJson {
  static constexpr std::string_view kId = "json.malformed";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kParseError;
  std::string reason;
  std::size_t offset = 0;
  [[nodiscard]] std::string text() const;
};
// More bytes or deeper nesting than the caller admits.
struct JsonOverBound {
  static constexpr std::string_view kId = "json.over_bound";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kParseError;
  std::string_view what;  // "bytes", "values" or "levels of nesting"
  std::size_t bound = 0;
  [[nodiscard]] std::string text() const;
};
struct JsonDuplicateMember {
  static constexpr std::string_view kId = "json.duplicate_member";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kParseError;
  std::string name;  // made visible
  [[nodiscard]] std::string text() const;
};
// A typed field that holds something else, or a fraction.
struct JsonNotAnInteger {
  static constexpr std::string_view kId = "json.not_an_integer";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kInvalidParams;
  std::string field;
  [[nodiscard]] std::string text() const;
};
// An integer that some readers would round to another one.
struct JsonUnsafeInteger {
  static constexpr std::string_view kId = "json.unsafe_integer";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kInvalidParams;
  std::string field;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
