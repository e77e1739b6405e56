#include "host/typed_answer.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "wire/base/visible_text.h"

namespace postern::host {
namespace {

using bridge::AnswerRefused;
using bridge::FormField;
using bridge::FormFormat;
using bridge::FormOption;
using bridge::FormType;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// What a terminal set to another encoding sends, or a pasted escape sequence, is no answer.
bool is_plain_text(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }))
    return false;
  const Result<Json> read = parse_json(Json(text).dump());
  return read && read->string() != nullptr && *read->string() == text;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

// Which of the choices a number names.
const FormOption* option_at(const FormField& field, std::string_view number) {
  std::size_t at = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), at);
  if (error != std::errc() || end != number.data() + number.size() || at == 0 || at > field.options.size())
    return nullptr;
  return &field.options[at - 1];
}

Result<Json> several(const FormField& field, std::string_view typed) {
  Json chosen = Json::array();
  if (lower(typed) == "none") return chosen;
  while (!typed.empty()) {
    const std::size_t comma = std::min(typed.find_first_of(", "), typed.size());
    const std::string_view number = typed.substr(0, comma);
    typed = trimmed(typed.substr(std::min(comma + 1, typed.size())));
    if (number.empty()) continue;
    const FormOption* option = option_at(field, number);
    if (option == nullptr) {
      return AnswerRefused{field.label, "Numbers from 1 to " + std::to_string(field.options.size()) +
                                            " are wanted, with commas between them, or none."};
    }
    chosen.push(option->value);
  }
  return chosen;
}

Result<Json> read(const FormField& field, std::string_view typed) {
  const auto say = [&](std::string sentence) -> Failure { return AnswerRefused{field.label, std::move(sentence)}; };
  switch (field.type) {
    case FormType::kText:
      if (!is_plain_text(typed)) return say("It holds characters that are no text.");
      return Json(typed);
    case FormType::kInteger: {
      const Result<Json> number = parse_json(typed);
      if (!number || !safe_integer(*number, "answer")) return say("A whole number is wanted, such as 12.");
      return Json(*safe_integer(*number, "answer"));
    }
    case FormType::kNumber: {
      Result<Json> number = parse_json(typed);
      if (!number || !number->is_number()) return say("A number is wanted, such as 12.5.");
      return number;
    }
    case FormType::kYesNo: {
      const std::string word = lower(typed);
      if (word == "y" || word == "yes") return Json(true);
      if (word == "n" || word == "no") return Json(false);
      return say("Type y or n.");
    }
    case FormType::kOneOf: {
      const FormOption* option = option_at(field, typed);
      if (option == nullptr) return say("Type a number from 1 to " + std::to_string(field.options.size()) + ".");
      return Json(option->value);
    }
    case FormType::kSomeOf:
      return several(field, typed);
  }
  return say("It cannot be answered here.");
}

std::string shown_option(const FormField& field, std::string_view value) {
  const auto found = std::find_if(field.options.begin(), field.options.end(),
                                  [&](const FormOption& option) { return option.value == value; });
  const std::string sent = visible_line(value, 100);
  if (found == field.options.end() || found->label == sent) return sent;
  return found->label + " (" + sent + ")";
}

// "3 to 50", "at least 3", "at most 50", or nothing.
std::string range(const FormField& field) {
  const auto bound = [](const std::optional<Json>& value) { return visible_line(value->dump(), 24); };
  if (field.least && field.most) return bound(field.least) + " to " + bound(field.most);
  if (field.least) return "at least " + bound(field.least);
  if (field.most) return "at most " + bound(field.most);
  return {};
}

std::string with_range(std::string what, const std::string& range, std::string_view unit = "") {
  if (range.empty()) return what;
  return std::move(what) + ", " + range + std::string(unit);
}

}  // namespace

Result<Json> typed_answer(const FormField& field, std::string_view typed) {
  POSTERN_TRY(Json answer, read(field, trimmed(typed)));
  POSTERN_TRY_VOID(bridge::check_answer(field, answer));
  return answer;
}

std::string shown_answer(const FormField& field, const Json& answer) {
  if (field.type == FormType::kYesNo) return answer.boolean().value_or(false) ? "yes" : "no";
  if (field.type == FormType::kOneOf && answer.string() != nullptr) return shown_option(field, *answer.string());
  if (field.type == FormType::kSomeOf) {
    if (answer.size() == 0) return "none";
    std::string names;
    for (const Json& choice : answer.elements()) {
      if (!names.empty()) names += ", ";
      if (choice.string() != nullptr) names += shown_option(field, *choice.string());
    }
    return names;
  }
  if (answer.string() == nullptr) return visible_line(answer.dump(), 40);
  return answer.string()->empty() ? "(empty)"
                                  : visible_line(*answer.string(), bridge::ElicitationForm::kAnswerBytesMax);
}

std::string wanted(const FormField& field) {
  switch (field.type) {
    case FormType::kText:
      switch (field.format) {
        case FormFormat::kAny:
          return with_range("text", range(field), " characters");
        case FormFormat::kEmail:
          return "e-mail address";
        case FormFormat::kUri:
          return "address, such as https://example.com/page";
        case FormFormat::kDate:
          return "date, such as 2026-11-30";
        case FormFormat::kDateTime:
          return "date and time, such as 2026-11-30T17:00:00Z";
      }
      break;
    case FormType::kInteger:
      return with_range("whole number", range(field));
    case FormType::kNumber:
      return with_range("number", range(field));
    case FormType::kYesNo:
      return "type y or n";
    case FormType::kOneOf:
      return "type its number";
    case FormType::kSomeOf:
      return with_range("type numbers with commas between them, or none", range(field), " in all");
  }
  return {};
}

}  // namespace postern::host
