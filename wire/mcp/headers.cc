#include "wire/mcp/headers.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "wire/base/bytes.h"
#include "wire/base/visible_text.h"
#include "wire/mcp/types.h"

namespace postern::mcp {
namespace {

constexpr std::string_view kSentinelStart = "=?base64?";
constexpr std::string_view kSentinelEnd = "?=";

bool looks_like_sentinel(std::string_view value) {
  return value.size() >= kSentinelStart.size() + kSentinelEnd.size() && value.starts_with(kSentinelStart) &&
         value.ends_with(kSentinelEnd);
}

bool is_printable_ascii(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c <= 0x7E; });
}

// A token of RFC 9110 section 5.6.2.
bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  const auto allowed = [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || kMarks.find(c) != kMarks.npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

const Json* value_at(const Json& arguments, const std::vector<std::string>& path) {
  const Json* value = &arguments;
  for (const std::string& name : path) {
    value = value->find(name);
    if (value == nullptr) return nullptr;
  }
  return value->is_null() ? nullptr : value;
}

// The text of an argument as a header carries it before it is encoded; nothing for values that no header can carry.
std::optional<std::string> header_text(const Json& value) {
  if (const std::string* text = value.string()) return *text;
  if (value.is_integer() || value.is_bool()) return value.dump();
  const std::optional<double> number = value.number();
  const bool whole =
      number && std::fabs(*number) <= static_cast<double>(kSafeIntegerMax) && std::trunc(*number) == *number;
  if (whole) return std::to_string(static_cast<std::int64_t>(*number));  // 42.0 is an integer, written as one
  return std::nullopt;
}

bool is_safe(const Json& integer) {
  const std::optional<std::int64_t> value = integer.integer();
  return value && *value >= -kSafeIntegerMax && *value <= kSafeIntegerMax;
}

// 42 and 42.0 are one number (basic/transports/streamable-http, "Server validation").
bool same_integer(std::string_view text, const Json& value) {
  const std::optional<double> expected = value.number();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return expected && error == std::errc() && end == text.data() + text.size() && number == *expected &&
         std::fabs(number) <= static_cast<double>(kSafeIntegerMax);
}

// The decoded value of a header that must be there exactly once.
Result<std::string> decoded_header(const HeaderList& headers, std::string_view name) {
  const auto sole = headers.sole(name);
  if (!sole) return HeaderMismatch{std::string(name), "stands there more than once"};
  if (*sole == nullptr) return HeaderMismatch{std::string(name), "is missing"};
  auto value = decode_header_value(**sole);
  if (!value) return HeaderMismatch{std::string(name), "is malformed"};
  return *std::move(value);
}

Status compare(const HeaderList& headers, std::string_view name, std::string_view expected) {
  POSTERN_TRY(const std::string value, decoded_header(headers, name));
  if (value != expected) return HeaderMismatch{std::string(name), "is not what the body says"};
  return {};
}

class AnnotationReader {
 public:
  // Walks `properties` from the root. An annotation anywhere else (items, composition, conditionals) is found by
  // `refuse_stray`.
  Status walk(const Json& schema, const std::string& pointer) {
    for (const auto& [keyword, value] : schema.members()) {
      if (keyword == "properties") {
        POSTERN_TRY_VOID(walk_properties(value, pointer + "/properties"));
      } else if (keyword != "x-mcp-header") {
        POSTERN_TRY_VOID(refuse_stray(value, pointer + "/" + keyword));
      }
    }
    return {};
  }
  std::vector<ParamHeader> found;

 private:
  Status walk_properties(const Json& properties, const std::string& pointer) {
    for (const auto& [name, property] : properties.members()) {
      path_.push_back(name);
      const std::string where = pointer + "/" + name;
      if (const Json* annotation = property.find("x-mcp-header")) POSTERN_TRY_VOID(take(*annotation, property, where));
      POSTERN_TRY_VOID(walk(property, where));
      path_.pop_back();
    }
    return {};
  }
  Status take(const Json& annotation, const Json& property, const std::string& where) {
    const std::string* suffix = annotation.string();
    if (suffix == nullptr || !is_token(*suffix)) return InvalidParamHeader{visible_line(where), "is no header name"};
    const std::string_view type = property.string_at("type");
    if (type != "string" && type != "integer" && type != "boolean") {
      return InvalidParamHeader{visible_line(where), "stands on a property that is no string, integer or boolean"};
    }
    const bool repeated = std::any_of(found.begin(), found.end(), [&](const ParamHeader& known) {
      return equal_ignoring_case(known.suffix, *suffix);
    });
    if (repeated) return InvalidParamHeader{visible_line(where), "names a header that another property has"};
    found.push_back(ParamHeader{*suffix, path_, std::string(type)});
    return {};
  }
  Status refuse_stray(const Json& value, const std::string& pointer) {
    if (value.is_object() && value.find("x-mcp-header") != nullptr && value.find("x-mcp-header")->is_string()) {
      return InvalidParamHeader{visible_line(pointer), "cannot be reached by properties alone"};
    }
    for (const auto& [name, member] : value.members()) POSTERN_TRY_VOID(refuse_stray(member, pointer + "/" + name));
    for (const Json& element : value.elements()) POSTERN_TRY_VOID(refuse_stray(element, pointer));
    return {};
  }

  std::vector<std::string> path_;
};

}  // namespace

std::string encode_header_value(std::string_view value) {
  const bool bare_ends = value.empty() || (value.front() != ' ' && value.back() != ' ');
  if (!value.empty() && is_printable_ascii(value) && bare_ends && !looks_like_sentinel(value))
    return std::string(value);
  return std::string(kSentinelStart) + base64(value) + std::string(kSentinelEnd);
}

std::optional<std::string> decode_header_value(std::string_view value) {
  if (looks_like_sentinel(value)) {
    value.remove_prefix(kSentinelStart.size());
    value.remove_suffix(kSentinelEnd.size());
    return base64_decode(value);
  }
  if (!is_printable_ascii(value)) return std::nullopt;
  return std::string(value);
}

std::optional<std::string_view> named_member(std::string_view method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  if (method == "resources/read") return "uri";
  if (method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel") return "taskId";
  return std::nullopt;
}

Result<std::vector<ParamHeader>> param_headers_of(const Json& input_schema) {
  AnnotationReader reader;
  if (input_schema.has("x-mcp-header")) return InvalidParamHeader{"", "stands on the whole of the arguments"};
  POSTERN_TRY_VOID(reader.walk(input_schema, ""));
  return std::move(reader.found);
}

HeaderList request_headers(std::string_view method, const Json& params, const std::vector<ParamHeader>& param_headers) {
  HeaderList headers{{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}};
  const Json* meta = params.find("_meta");
  const std::string_view version = meta == nullptr ? kProtocolVersion : meta->string_at(kMetaProtocolVersion);
  headers.add(std::string(kHeaderProtocolVersion), encode_header_value(version));
  headers.add(std::string(kHeaderMethod), encode_header_value(method));
  if (const auto member = named_member(method)) {
    headers.add(std::string(kHeaderName), encode_header_value(params.string_at(*member)));
  }
  const Json* arguments = params.find("arguments");
  for (const ParamHeader& header : param_headers) {
    const Json* value = arguments == nullptr ? nullptr : value_at(*arguments, header.path);
    const auto text = value == nullptr ? std::nullopt : header_text(*value);
    // "Schema extension": an integer that some reader between the two could round is not mirrored.
    if (value != nullptr && value->is_integer() && !is_safe(*value)) continue;
    if (text) headers.add(std::string(kHeaderParamPrefix) + header.suffix, encode_header_value(*text));
  }
  return headers;
}

namespace {

Status check_version(const HeaderList& headers, std::string_view protocol_version, std::string_view, const Json&) {
  return compare(headers, kHeaderProtocolVersion, protocol_version);
}

Status check_method(const HeaderList& headers, std::string_view, std::string_view method, const Json&) {
  return compare(headers, kHeaderMethod, method);
}

Status check_name(const HeaderList& headers, std::string_view, std::string_view method, const Json& params) {
  const auto member = named_member(method);
  const Json* value = member ? params.find(*member) : nullptr;
  // A body without that string is wrong in itself: the method's own reader says so (-32602).
  if (value == nullptr || !value->is_string()) return {};
  return compare(headers, kHeaderName, *value->string());
}

constexpr MirroredHeader kMirroredHeaders[] = {
    {"version", check_version}, {"method", check_method}, {"name", check_name}};

}  // namespace

std::span<const MirroredHeader> mirrored_headers() {
  return kMirroredHeaders;
}

Status check_headers(const HeaderList& headers, std::string_view protocol_version, std::string_view method,
                     const Json& params, std::span<const MirroredHeader> rows) {
  for (const MirroredHeader& row : rows) POSTERN_TRY_VOID(row.check(headers, protocol_version, method, params));
  return {};
}

Status check_param_headers(const HeaderList& headers, const std::vector<ParamHeader>& param_headers,
                           const Json& arguments) {
  for (const ParamHeader& header : param_headers) {
    const std::string name = std::string(kHeaderParamPrefix) + header.suffix;
    const Json* value = value_at(arguments, header.path);
    if (value == nullptr) {
      if (headers.has(name)) return HeaderMismatch{name, "names a value that the body does not have"};
      continue;
    }
    const auto expected = header_text(*value);
    const bool carried = expected || (value->is_number() && std::trunc(*value->number()) == *value->number());
    if (!carried && !headers.has(name)) continue;  // of a type that no header carries: a matter of the input schema
    POSTERN_TRY(const std::string text, decoded_header(headers, name));
    const bool same = expected ? text == *expected || (header.type == "integer" && same_integer(text, *value))
                               : header.type == "integer" && same_integer(text, *value);
    if (!same && (expected || value->is_number())) return HeaderMismatch{name, "is not what the body says"};
  }
  return {};
}

std::string HeaderMismatch::text() const {
  return "Header mismatch: " + header + " " + reason + ".";
}

std::string InvalidParamHeader::text() const {
  return "The tool's x-mcp-header at \"" + where + "\" " + reason + ". The tool is left out.";
}

}  // namespace postern::mcp
