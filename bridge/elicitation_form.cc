#include "bridge/elicitation_form.h"

#include <algorithm>
#include <array>
#include <set>

#include "bridge/answer_formats.h"
#include "bridge/shown_text.h"
#include "wire/base/visible_text.h"

namespace postern::bridge {
namespace {

constexpr std::size_t kLabelCharactersMax = 100;
constexpr std::size_t kDescriptionBytesMax = 600;
constexpr std::size_t kDescriptionLinesMax = 6;

// Keywords that would make more of a form than a flat list of plain fields ("Requested Schema").
constexpr auto kBeyondAForm = std::to_array<std::string_view>({"$ref",
                                                               "$dynamicRef",
                                                               "$recursiveRef",
                                                               "allOf",
                                                               "anyOf",
                                                               "oneOf",
                                                               "not",
                                                               "if",
                                                               "then",
                                                               "else",
                                                               "properties",
                                                               "items",
                                                               "prefixItems",
                                                               "contains",
                                                               "additionalItems",
                                                               "const",
                                                               "propertyNames",
                                                               "patternProperties",
                                                               "dependencies",
                                                               "dependentSchemas",
                                                               "minProperties",
                                                               "maxProperties",
                                                               "dependentRequired",
                                                               "unevaluatedItems",
                                                               "unevaluatedProperties"});

FormRefused refuse(std::string_view field, std::string reason) {
  return {field.empty() ? "the form" : "the field " + visible_line(field, 60), std::move(reason)};
}

Status check_keywords(std::string_view field, const Json& schema, std::initializer_list<std::string_view> allowed) {
  for (const std::string_view keyword : kBeyondAForm) {
    if (schema.has(keyword) && std::find(allowed.begin(), allowed.end(), keyword) == allowed.end())
      return refuse(field, "\"" + std::string(keyword) + "\" has no place in a form");
  }
  return {};
}

Result<FormFormat> format_of(std::string_view field, const Json& schema) {
  const Json* format = schema.find("format");
  if (format == nullptr) return FormFormat::kAny;
  const std::string_view name = schema.string_at("format");
  if (name == "email") return FormFormat::kEmail;
  if (name == "uri") return FormFormat::kUri;
  if (name == "date") return FormFormat::kDate;
  if (name == "date-time") return FormFormat::kDateTime;
  if (name == "password") return refuse(field, "a server must not ask for a password in a form");
  return refuse(field, "there is no format " + visible_line(format->dump(), 40) + " in a form");
}

// {"enum":["a","b"]} or {KEYWORD:[{"const":"a","title":"A"}]}; `names` are the legacy "enumNames".
Result<std::vector<FormOption>> options_of(std::string_view field, const Json& schema, std::string_view titled) {
  const Json* plain = schema.find("enum");
  const Json* with_titles = schema.find(titled);
  if (plain != nullptr && with_titles != nullptr) return refuse(field, "its choices are named twice");
  const Json* list = plain != nullptr ? plain : with_titles;
  if (list == nullptr || !list->is_array() || list->size() == 0) return refuse(field, "it has no choices");
  if (list->size() > ElicitationForm::kOptionsMax) return refuse(field, "it has more than 100 choices");
  const Json* names = plain != nullptr ? schema.find("enumNames") : nullptr;
  if (names != nullptr && names->size() != list->size()) return refuse(field, "its choices and their names differ");
  std::vector<FormOption> options;
  std::set<std::string_view> values;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Json& entry = list->elements()[i];
    if (plain == nullptr) POSTERN_TRY_VOID(check_keywords(field, entry, {"const"}));
    const Json* value = plain != nullptr ? &entry : entry.find("const");
    if (value == nullptr || value->string() == nullptr) return refuse(field, "a choice is no text");
    if (!values.insert(*value->string()).second) return refuse(field, "a choice occurs twice");
    std::string_view label = plain != nullptr ? std::string_view(*value->string()) : entry.string_at("title");
    if (names != nullptr && names->elements()[i].string() != nullptr) label = *names->elements()[i].string();
    if (is_blank(label)) label = *value->string();
    options.push_back({*value->string(), shown_line(label, kLabelCharactersMax)});
  }
  return options;
}

Status read_text(const Json& schema, FormField& field) {
  if (schema.has("enum") || schema.has("oneOf")) {
    field.type = FormType::kOneOf;
    POSTERN_TRY_VOID(check_keywords(field.name, schema, {"oneOf"}));
    POSTERN_TRY(field.options, options_of(field.name, schema, "oneOf"));
    return {};
  }
  field.type = FormType::kText;
  POSTERN_TRY_VOID(check_keywords(field.name, schema, {}));
  POSTERN_TRY(field.format, format_of(field.name, schema));
  if (const Json* least = schema.find("minLength")) field.least = *least;
  if (const Json* most = schema.find("maxLength")) field.most = *most;
  return {};
}

Status read_choices(const Json& schema, FormField& field) {
  field.type = FormType::kSomeOf;
  POSTERN_TRY_VOID(check_keywords(field.name, schema, {"items"}));
  const Json* items = schema.find("items");
  if (items == nullptr || !items->is_object()) return refuse(field.name, "a list has no choices");
  POSTERN_TRY_VOID(check_keywords(field.name, *items, {"anyOf"}));
  if (items->has("enum") && items->string_at("type") != "string")
    return refuse(field.name, "a list may hold texts only");
  POSTERN_TRY(field.options, options_of(field.name, *items, "anyOf"));
  if (const Json* least = schema.find("minItems")) field.least = *least;
  if (const Json* most = schema.find("maxItems")) field.most = *most;
  return {};
}

Status read_type(const Json& schema, FormField& field) {
  const std::string_view type = schema.string_at("type");
  if (type == "string") return read_text(schema, field);
  if (type == "array") return read_choices(schema, field);
  POSTERN_TRY_VOID(check_keywords(field.name, schema, {}));
  if (schema.has("enum")) return refuse(field.name, "its choices are no texts");
  if (type == "boolean") {
    field.type = FormType::kYesNo;
    return {};
  }
  if (type != "integer" && type != "number")
    return refuse(field.name, "its type is none of string, number, integer, boolean and array");
  field.type = type == "integer" ? FormType::kInteger : FormType::kNumber;
  if (const Json* least = schema.find("minimum")) field.least = *least;
  if (const Json* most = schema.find("maximum")) field.most = *most;
  return {};
}

Result<Schema> schema_of(std::string_view name, const Json& schema, bool& pattern_left_to_server) {
  Result<Schema> compiled = Schema::compile(schema);
  if (!compiled && schema.has("pattern")) {
    Json without = schema;
    without.erase("pattern");
    compiled = Schema::compile(without);
    pattern_left_to_server = compiled.has_value();
  }
  if (!compiled) return refuse(name, "it is no valid schema: " + visible_line(compiled.error().text(), 200));
  return compiled;
}

Result<FormField> read_field(const std::string& name, const Json& schema, bool required) {
  if (!schema.is_object()) return refuse(name, "it is no object");
  bool pattern_left_to_server = false;
  POSTERN_TRY(Schema compiled, schema_of(name, schema, pattern_left_to_server));
  const std::string_view title = schema.string_at("title");
  FormField field{name,
                  shown_line(is_blank(title) ? std::string_view(name) : title, kLabelCharactersMax),
                  shown_lines(schema.string_at("description"), kDescriptionBytesMax, kDescriptionLinesMax),
                  FormType::kText,
                  FormFormat::kAny,
                  required,
                  false,
                  pattern_left_to_server,
                  {},
                  std::nullopt,
                  std::nullopt,
                  std::nullopt,
                  std::move(compiled)};
  POSTERN_TRY_VOID(read_type(schema, field));
  field.looks_secret = names_a_secret(name) || names_a_secret(title) || names_a_secret(field.description);
  if (const Json* preset = schema.find("default")) {
    // Enter sends it: so it must fit, and nothing of it may be hidden from the person.
    const bool seen = preset->string() == nullptr || visible_line(*preset->string(), SIZE_MAX) == *preset->string();
    if (seen && check_answer(field, *preset)) field.preset = *preset;
  }
  return field;
}

std::string sentence_of(const FormField& field, const Failure& failure) {
  const auto* mismatch = failure.as<SchemaMismatch>();
  if (mismatch == nullptr) return "It could not be checked.";
  const std::string got = mismatch->got.empty() ? "" : ", and it has " + mismatch->got;
  const bool text = field.type == FormType::kText || field.type == FormType::kSomeOf;
  const std::string expected = visible_line(mismatch->expected, 200);
  return text && !got.empty() ? "It must have " + expected + visible_line(got, 80) + "."
                              : "It must be " + expected + ".";
}

}  // namespace

Result<ElicitationForm> ElicitationForm::read(const Json& requested_schema) {
  if (!requested_schema.is_object() || requested_schema.string_at("type") != "object")
    return refuse("", "its type is not \"object\"");
  POSTERN_TRY_VOID(check_keywords("", requested_schema, {"properties"}));
  const Json* properties = requested_schema.find("properties");
  if (properties == nullptr || !properties->is_object()) return refuse("", "it has no fields");
  if (properties->size() > kFieldsMax) return refuse("", "it has more than 32 fields");
  std::set<std::string, std::less<>> required;
  if (const Json* names = requested_schema.find("required")) {
    if (!names->is_array()) return refuse("", "\"required\" is no list");
    for (const Json& name : names->elements()) {
      if (name.string() == nullptr || !properties->has(*name.string()))
        return refuse("", "\"required\" names a field that is not there");
      required.insert(*name.string());
    }
  }
  std::vector<FormField> fields;
  for (const auto& [name, schema] : properties->members()) {
    POSTERN_TRY(FormField field, read_field(name, schema, required.contains(name)));
    fields.push_back(std::move(field));
  }
  return ElicitationForm(std::move(fields));
}

Status check_answer(const FormField& field, const Json& value) {
  const auto say = [&](std::string reason) -> Failure { return AnswerRefused{field.label, std::move(reason)}; };
  if (const std::string* text = value.string(); text != nullptr && text->size() > ElicitationForm::kAnswerBytesMax)
    return say("It is longer than 4000 bytes.");
  if (field.type == FormType::kText && value.string() != nullptr) {
    if (const std::string wrong = wrong_format(field.format, *value.string()); !wrong.empty()) return say(wrong);
  }
  if (const Status fits = field.schema.validate(value); !fits) return say(sentence_of(field, fits.error()));
  if (field.type == FormType::kSomeOf) {
    std::set<std::string_view> chosen;
    for (const Json& choice : value.elements()) {
      if (!chosen.insert(*choice.string()).second) return say("A choice is named twice.");
    }
  }
  return {};
}

Status ElicitationForm::check(const Json& content) const {
  if (!content.is_object()) return AnswerRefused{"the form", "There are no answers."};
  std::size_t known = 0;
  for (const FormField& field : fields_) {
    const Json* value = content.find(field.name);
    if (value == nullptr && field.required) return AnswerRefused{field.label, "An answer is needed."};
    if (value == nullptr) continue;
    ++known;
    POSTERN_TRY_VOID(check_answer(field, *value));
  }
  if (known != content.size()) return AnswerRefused{"the form", "There is an answer to no field."};
  return {};
}

std::string FormRefused::text() const {
  return "The server asked for a form that is not shown as one: " + where + ": " + reason +
         ". Nobody was asked, and it was told nothing.";
}

std::string AnswerRefused::text() const {
  return field + ": " + reason;
}

}  // namespace postern::bridge
