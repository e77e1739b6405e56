#include "wire/base/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "wire/base/check.h"
#include "wire/base/visible_text.h"

namespace postern {
namespace {

const Json::Array kNoElements;
const Json::Object kNoMembers;

// Which rule a text breaks. The library's own words repeat the input at their end, and go nowhere.
std::string rule_of(const nlohmann::detail::exception& error) {
  constexpr int kOutOfRange = 406;
  if (error.id == kOutOfRange) return "a number is too large";
  std::string_view words = error.what();
  words = words.substr(0, words.find("; last read"));
  if (words.find("surrogate") != words.npos) return "a surrogate stands alone";
  if (words.find("UTF-8") != words.npos) return "a byte is not UTF-8";
  if (words.find("control character") != words.npos) return "a control character is not escaped";
  if (words.find("unexpected end of input") != words.npos) return "it ends too early";
  return "it breaks the grammar";
}

// Builds our values from nlohmann's events and notes the first thing that is refused. Its callbacks return false to
// stop the parser.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(JsonBounds bounds) : bounds_(bounds) {}

  bool null() override { return place(Json()); }
  bool boolean(bool value) override { return place(Json(value)); }
  bool number_integer(number_integer_t value) override {
    // The library calls this for what has a minus. "-0" is no integer of ours, so that it is written as it was read.
    return place(value == 0 ? Json(-0.0) : Json(value));
  }
  bool number_unsigned(number_unsigned_t value) override { return place(Json(value)); }
  bool number_float(number_float_t value, const string_t&) override {
    if (!std::isfinite(value)) return refuse(MalformedJson{"a number is too large", 0});
    return place(Json(value));
  }
  bool string(string_t& value) override { return place(Json(std::move(value))); }
  bool binary(binary_t&) override { return refuse(MalformedJson{"binary values are not JSON", 0}); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override {
    if (const std::string* name = levels_.back().repeated_name()) return refuse(duplicate(*name));
    return close();
  }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    Level& level = levels_.back();
    if (!level.is_new(name)) return refuse(duplicate(name));
    level.key = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    return refuse(MalformedJson{rule_of(error), position});
  }

  std::optional<Failure> failure;
  Json root;

 private:
  // Names are compared at once while an object is small, and sorted at its end when it grew: no order and no choice of
  // names makes that slow, as a table of hashes can be made.
  struct Level {
    static constexpr std::size_t kSmall = 16;
    Json value;
    std::string key;
    [[nodiscard]] bool is_new(const std::string& name) const {
      return value.members().size() >= kSmall || value.find(name) == nullptr;
    }
    [[nodiscard]] const std::string* repeated_name() const {
      if (value.members().size() <= kSmall) return nullptr;
      std::vector<const std::string*> names;
      names.reserve(value.members().size());
      for (const auto& member : value.members()) names.push_back(&member.first);
      std::sort(names.begin(), names.end(), [](const auto* a, const auto* b) { return *a < *b; });
      const auto same = std::adjacent_find(names.begin(), names.end(), [](auto* a, auto* b) { return *a == *b; });
      return same == names.end() ? nullptr : *same;
    }
  };

  static JsonDuplicateMember duplicate(std::string_view name) { return {visible_line(name, 80)}; }
  template <class K>
  bool refuse(K kind) {
    if (!failure) failure = Failure(std::move(kind));
    return false;
  }
  bool open(Json value) {
    if (levels_.size() >= bounds_.depth_max) return refuse(JsonOverBound{"levels of nesting", bounds_.depth_max});
    levels_.push_back(Level{std::move(value), {}});
    return true;
  }
  bool close() {
    Json value = std::move(levels_.back().value);
    levels_.pop_back();
    return place(std::move(value));
  }
  bool place(Json value) {
    if (levels_.empty()) {
      root = std::move(value);
      return true;
    }
    Level& level = levels_.back();
    if (level.value.is_array()) {
      level.value.push(std::move(value));
    } else {
      level.value.append_member(std::move(level.key), std::move(value));
    }
    return true;
  }

  JsonBounds bounds_;
  std::vector<Level> levels_;
};

void append_number(std::string& out, double value) {
  if (!std::isfinite(value)) {  // JSON has no such numbers; parse_json() never makes one
    out += "null";
    return;
  }
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  out.append(text, end);
}

// Length of the valid UTF-8 sequence at the start of `text`, or 0 (RFC 3629: no surrogates, no overlong forms, up to
// U+10FFFF).
std::size_t utf8_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = at(0);
  std::size_t length = first < 0x80                    ? 1
                       : first >= 0xC2 && first < 0xE0 ? 2
                       : first >= 0xE0 && first < 0xF0 ? 3
                       : first >= 0xF0 && first < 0xF5 ? 4
                                                       : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80) return 0;
  }
  if ((first == 0xE0 && at(1) < 0xA0) || (first == 0xED && at(1) > 0x9F) || (first == 0xF0 && at(1) < 0x90) ||
      (first == 0xF4 && at(1) > 0x8F)) {
    return 0;
  }
  return length;
}

// What append_quoted() does with a byte: 0 copies it, 'u' writes \u00XX, kLong begins a UTF-8 sequence, anything else
// is the letter behind the backslash.
constexpr char kLong = 1;
constexpr std::array<char, 256> kQuoting = [] {
  std::array<char, 256> table{};
  for (std::size_t c = 0; c < 0x20; ++c) table[c] = 'u';
  for (std::size_t c = 0x80; c < 0x100; ++c) table[c] = kLong;
  table['"'] = '"';
  table['\\'] = '\\';
  table['\b'] = 'b';
  table['\f'] = 'f';
  table['\n'] = 'n';
  table['\r'] = 'r';
  table['\t'] = 't';
  return table;
}();

// A string literal on its way out, a piece at a time: texts that hold JSON have a quote in every few bytes.
class LiteralWriter {
 public:
  explicit LiteralWriter(std::string& out) : out_(out) { put('"'); }
  ~LiteralWriter() {
    put('"');
    flush();
  }
  LiteralWriter(const LiteralWriter&) = delete;
  LiteralWriter& operator=(const LiteralWriter&) = delete;

  // Returns how many bytes of `text` were written. REQUIRES some.
  std::size_t write(std::string_view text) {
    if (used_ + kLongest > sizeof piece_) flush();
    const char quoting = kQuoting[static_cast<unsigned char>(text.front())];
    if (quoting == 0) {
      piece_[used_++] = text.front();
    } else if (quoting == kLong) {
      return write_long(text);
    } else {
      put('\\');
      put(quoting);
      if (quoting == 'u') write_digits(static_cast<unsigned char>(text.front()));
    }
    return 1;
  }

 private:
  static constexpr std::size_t kLongest = 8;  // an escape, and the closing quote

  void put(char c) { piece_[used_++] = c; }
  void flush() {
    out_.append(piece_, used_);
    used_ = 0;
  }
  void write_digits(unsigned char c) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    put('0');
    put('0');
    put(kDigits[c >> 4]);
    put(kDigits[c & 15]);
  }
  std::size_t write_long(std::string_view text) {
    const std::size_t length = utf8_length(text);
    for (const char c : length > 0 ? text.substr(0, length) : std::string_view("\xEF\xBF\xBD")) put(c);
    return std::max<std::size_t>(length, 1);
  }

  std::string& out_;
  char piece_[256];
  std::size_t used_ = 0;
};

class Writer {
 public:
  Writer(std::string& out, int indent) : out_(out), indent_(indent) {}

  void write(const Json& json, int level) {  // recursion is bounded by the depth that parse_json() admits
    if (json.is_object()) {
      write_all(json.members(), level, '{', '}', [&](const Json::Member& member) {
        Json::append_quoted(out_, member.first);
        out_ += indent_ > 0 ? ": " : ":";
        write(member.second, level + 1);
      });
    } else if (json.is_array()) {
      write_all(json.elements(), level, '[', ']', [&](const Json& element) { write(element, level + 1); });
    } else {
      write_scalar(json);
    }
  }

 private:
  template <class List, class WriteOne>
  void write_all(const List& list, int level, char open, char close, WriteOne write_one) {
    out_ += open;
    bool first = true;
    for (const auto& entry : list) {
      if (!first) out_ += ',';
      first = false;
      new_line(level + 1);
      write_one(entry);
    }
    if (!first) new_line(level);
    out_ += close;
  }
  void new_line(int level) {
    if (indent_ == 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(level * indent_), ' ');
  }
  void write_scalar(const Json& json) {
    if (const std::string* text = json.string()) {
      Json::append_quoted(out_, *text);
    } else if (const auto integer = json.integer()) {
      out_ += std::to_string(*integer);
    } else if (const auto natural = json.unsigned_integer()) {
      out_ += std::to_string(*natural);
    } else if (const auto flag = json.boolean()) {
      out_ += *flag ? "true" : "false";
    } else if (const auto number = json.number()) {
      append_number(out_, *number);
    } else {
      out_ += "null";
    }
  }

  std::string& out_;
  int indent_;
};

bool same_members(const Json& a, const Json& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [name, value] : a.members()) {
    const Json* other = b.find(name);
    if (other == nullptr || !(value == *other)) return false;
  }
  return true;
}

// Exactly: 9007199254740993 is not 9007199254740992.0, though both are the same double.
bool is_fraction_equal(double fraction, const Json& integer) {
  if (fraction < -0x1p63 || fraction >= 0x1p64 || std::trunc(fraction) != fraction) return false;
  if (fraction < 0x1p63) return integer.integer() == static_cast<std::int64_t>(fraction);
  return integer.unsigned_integer() == static_cast<std::uint64_t>(fraction);
}

bool same_number(const Json& a, const Json& b) {
  if (a.is_integer() && b.is_integer()) {
    return a.integer() == b.integer() && a.unsigned_integer() == b.unsigned_integer();
  }
  if (a.is_integer()) return is_fraction_equal(*b.number(), a);
  return b.is_integer() ? is_fraction_equal(*a.number(), b) : a.number() == b.number();
}

}  // namespace

Json::Json(std::uint64_t value) {
  if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    value_ = static_cast<std::int64_t>(value);
  } else {
    value_ = value;
  }
}

std::string_view Json::type_name() const {
  constexpr std::string_view kNames[] = {"null",   "boolean", "integer", "integer",
                                         "number", "string",  "array",   "object"};
  return kNames[value_.index()];
}

std::optional<bool> Json::boolean() const {
  const bool* value = std::get_if<bool>(&value_);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<std::int64_t> Json::integer() const {
  const auto* value = std::get_if<std::int64_t>(&value_);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<std::uint64_t> Json::unsigned_integer() const {
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return *value;
  const auto* value = std::get_if<std::int64_t>(&value_);
  return value == nullptr || *value < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(*value));
}

std::optional<double> Json::number() const {
  if (const auto* value = std::get_if<double>(&value_)) return *value;
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*value);
  return std::nullopt;
}

const Json::Array& Json::elements() const& {
  const auto* array = std::get_if<Array>(&value_);
  return array == nullptr ? kNoElements : *array;
}

const Json::Object& Json::members() const& {
  const auto* object = std::get_if<Object>(&value_);
  return object == nullptr ? kNoMembers : *object;
}

std::size_t Json::size() const {
  return is_object() ? members().size() : elements().size();
}

const Json* Json::find(std::string_view name) const {
  for (const auto& member : members()) {
    if (member.first == name) return &member.second;
  }
  return nullptr;
}

Json* Json::find(std::string_view name) {
  return const_cast<Json*>(std::as_const(*this).find(name));
}

std::string_view Json::string_at(std::string_view name) const {
  const Json* member = find(name);
  const std::string* text = member == nullptr ? nullptr : member->string();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

std::optional<std::int64_t> Json::integer_at(std::string_view name) const {
  const Json* member = find(name);
  return member == nullptr ? std::nullopt : member->integer();
}

std::optional<bool> Json::boolean_at(std::string_view name) const {
  const Json* member = find(name);
  return member == nullptr ? std::nullopt : member->boolean();
}

Json& Json::set(std::string name, Json value) {
  if (Json* member = find(name)) {
    *member = std::move(value);
    return *this;
  }
  return append_member(std::move(name), std::move(value));
}

Json& Json::append_member(std::string name, Json value) {
  if (is_null()) value_ = Object();
  POSTERN_CHECK(is_object());
  std::get<Object>(value_).emplace_back(std::move(name), std::move(value));
  return *this;
}

Json& Json::push(Json value) {
  if (is_null()) value_ = Array();
  POSTERN_CHECK(is_array());
  std::get<Array>(value_).push_back(std::move(value));
  return *this;
}

bool Json::erase(std::string_view name) {
  auto* object = std::get_if<Object>(&value_);
  if (object == nullptr) return false;
  return std::erase_if(*object, [&](const Member& member) { return member.first == name; }) > 0;
}

std::string Json::dump() const {
  std::string out;
  Writer(out, 0).write(*this, 0);
  return out;
}

std::string Json::pretty() const {
  std::string out;
  Writer(out, 2).write(*this, 0);
  return out;
}

void Json::append_quoted(std::string& out, std::string_view text) {
  LiteralWriter literal(out);
  while (!text.empty()) text.remove_prefix(literal.write(text));
}

bool operator==(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return same_number(a, b);
  if (a.is_object() && b.is_object()) return same_members(a, b);
  return a.value_ == b.value_;
}

Result<Json> parse_json(std::string_view text, JsonBounds bounds) {
  if (text.size() > bounds.bytes_max) return JsonOverBound{"bytes", bounds.bytes_max};
  // The library passes over a byte order mark and takes NUL for the end; neither may stand in JSON text (RFC 8259
  // section 8.1).
  if (text.substr(0, 3) == "\xEF\xBB\xBF") return MalformedJson{"it begins with a byte order mark", 0};
  if (const std::size_t nul = text.find('\0'); nul != text.npos) return MalformedJson{"it holds a NUL byte", nul};
  Builder builder(bounds);
  try {
    if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return std::move(builder.root);
  } catch (const nlohmann::json::exception&) {  // no exception of the library passes this file
    return MalformedJson{"it breaks the grammar", 0};
  }
  if (builder.failure) return *std::move(builder.failure);
  return MalformedJson{"it breaks the grammar", 0};
}

Result<std::int64_t> safe_integer(const Json& value, std::string_view field) {
  std::optional<std::int64_t> integer = value.integer();
  const double number = value.number().value_or(0.5);
  const bool whole = std::trunc(number) == number;
  if (!integer && whole && std::fabs(number) < 0x1p63) integer = static_cast<std::int64_t>(number);
  if (!whole) return JsonNotAnInteger{std::string(field)};
  if (!integer || *integer > kSafeIntegerMax || *integer < -kSafeIntegerMax) {
    return JsonUnsafeInteger{std::string(field)};
  }
  return *integer;
}

std::string JsonNotAnInteger::text() const {
  return "\"" + field + "\" is no integer.";
}

std::string JsonUnsafeInteger::text() const {
  return "\"" + field + "\" is beyond the integers that every peer holds exactly: +-" +
         std::to_string(kSafeIntegerMax) + ".";
}

std::string MalformedJson::text() const {
  return "The text is not valid JSON: " + reason + " (at byte " + std::to_string(offset) + ").";
}

std::string JsonOverBound::text() const {
  return "The JSON text has more than " + std::to_string(bound) + " " + std::string(what) + ".";
}

std::string JsonDuplicateMember::text() const {
  return "The JSON text names the member \"" + name + "\" twice.";
}

}  // namespace postern
