#include "tests/lab/script_values.h"

#include <algorithm>
#include <utility>

#include "tests/lab/planted_orders.h"
#include "tests/lab/text_search.h"

namespace postern::lab {
namespace {

using Found = Result<std::optional<Json>>;

Found nothing() {
  return std::optional<Json>();
}
Found found(Json value) {
  return std::optional<Json>(std::move(value));
}
template <class T>
Found found_if(std::optional<T> value) {
  return value ? found(Json(*std::move(value))) : nothing();
}

ScriptBroken broken(std::string reason) {
  return ScriptBroken{std::move(reason)};
}

// RFC 6901, without "-".
const Json* at_pointer(const Json& value, std::string_view pointer) {
  const Json* here = &value;
  while (!pointer.empty()) {
    if (pointer.front() != '/') return nullptr;
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    std::string name(pointer.substr(0, end));
    pointer.remove_prefix(end);
    for (const auto& [escape, character] : {std::pair{"~1", "/"}, std::pair{"~0", "~"}}) {
      for (std::size_t i = name.find(escape); i != std::string::npos; i = name.find(escape, i + 1))
        name.replace(i, 2, character);
    }
    if (here->is_array()) {
      const bool digits = !name.empty() && name.size() < 7 && name.find_first_not_of("0123456789") == std::string::npos;
      if (!digits || std::stoul(name) >= here->size()) return nullptr;
      here = &here->elements()[std::stoul(name)];
    } else {
      here = here->find(name);
      if (here == nullptr) return nullptr;
    }
  }
  return here;
}

bool has_word(const std::vector<std::string>& words, const std::string& word) {
  return std::any_of(words.begin(), words.end(),
                     [&word](const std::string& one) { return one == word || one == word + "s" || one + "s" == word; });
}

// People name a part with fewer words than a catalog: "a snapped rib" is the "rib set".
bool is_named_in(std::string_view title, const std::vector<std::string>& words) {
  int wanted = 0;
  int there = 0;
  for (const std::string& word : words_of(title)) {
    if (word.size() < 3) continue;
    ++wanted;
    if (has_word(words, word)) ++there;
  }
  return wanted > 0 && there * 2 >= wanted;
}

std::string plain(const Json& value) {
  return value.string() != nullptr ? *value.string() : value.dump();
}

// The step's own word is its first member: {"named_in": "ticket_words", "by": "title"}.
std::string_view word_of(const Json& step) {
  return step.size() == 0 ? std::string_view() : step.members().front().first;
}
const Json& argument_of(const Json& step) {
  return step.members().front().second;
}

}  // namespace

Found ScriptValues::value(std::string_view name) {
  if (const auto known = known_.find(name); known != known_.end()) return known->second;
  const Json* definition = definitions_.find(name);
  if (definition == nullptr) return broken("no value is called '" + std::string(name) + "'");
  if (!in_work_.insert(std::string(name)).second) return broken("the value '" + std::string(name) + "' needs itself");
  POSTERN_TRY(std::optional<Json> value, evaluate(*definition));
  in_work_.erase(std::string(name));
  known_[std::string(name)] = value;
  return value;
}

Found ScriptValues::evaluate(const Json& definition) {
  const auto is_one_of = [](std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  POSTERN_TRY(std::optional<Json> it, source(definition.string_at("from")));
  if (const Json* steps = definition.find("steps")) {
    for (const Json& one : steps->elements()) {
      if (!it) break;
      const std::string_view word = word_of(one);
      Found next = is_one_of(word, {"first", "last", "count", "each", "each_as", "joined_by"}) ? list_step(one, *it)
                   : is_one_of(word, {"named_in", "without"})                                  ? compare_step(one, *it)
                   : is_one_of(word, {"sum", "plus", "minus", "days_since"})                   ? number_step(one, *it)
                                                                                               : step(one, *it);
      if (!next) return next;
      it = *std::move(next);
    }
  }
  if (const Json* otherwise = definition.find("else"); otherwise != nullptr && !it) return found(*otherwise);
  return it;
}

Found ScriptValues::source(std::string_view from) {
  if (from == "system") return found(conversation_.system);
  if (from == "opening") return found(conversation_.opening);
  if (from == "orders") return found(planted_orders(conversation_));
  const std::size_t colon = from.find(':');
  if (colon == std::string_view::npos) return broken("a value comes from '" + std::string(from) + "'");
  const std::string_view kind = from.substr(0, colon);
  const std::string_view name = from.substr(colon + 1);
  if (kind == "value") return value(name);
  if (kind == "calls") {
    Json calls = Json::array();
    for (const AnsweredCall& call : conversation_.calls) {
      if (call.tool != name || call.is_error || !call.labeled) continue;
      calls.push(Json::object({{"input", call.input}, {"result", call.json}}));
    }
    return found(std::move(calls));
  }
  if (kind == "result") {
    const AnsweredCall* call = conversation_.last_good(name);
    return call == nullptr || call->json.is_null() ? nothing() : found(call->json);
  }
  const AnsweredCall* call = conversation_.last(name);
  if (kind == "text") return call == nullptr ? nothing() : found(call->data);
  if (kind == "input") return call == nullptr ? nothing() : found(call->input);
  return broken("a value comes from '" + std::string(from) + "'");
}

Found ScriptValues::step(const Json& step, const Json& it) {
  const std::string_view word = word_of(step);
  const Json& argument = argument_of(step);
  const std::string text = plain(it);
  const std::string part = argument.string() == nullptr ? "" : *argument.string();
  if (word == "at") {
    const Json* there = at_pointer(it, part);
    return there == nullptr || there->is_null() ? nothing() : found(*there);
  }
  if (word == "sentence_with") return found_if(sentence_with(text, part));
  if (word == "quoted_with") return found_if(quoted_with(text, part));
  if (word == "word_with") return found_if(word_with(text, part));
  if (word == "money") return found_if(money_in(text));
  if (word == "after") {
    const std::size_t at = find_ignoring_case(text, part);
    return at == std::string::npos ? nothing() : found(text.substr(at + part.size()));
  }
  if (word == "before") return found(text.substr(0, find_ignoring_case(text, part)));
  if (word == "repeat") {
    std::string repeated;
    for (std::int64_t i = argument.integer().value_or(0); i > 0; --i) repeated += text;
    return found(std::move(repeated));
  }
  if (word == "as_text") {
    POSTERN_TRY(std::string expanded, expand_with(it, part));
    return found(std::move(expanded));
  }
  return broken("there is no step '" + std::string(word) + "'");
}

Found ScriptValues::list_step(const Json& step, const Json& it) {
  const std::string_view word = word_of(step);
  if (!it.is_array()) return nothing();
  if (word == "count") return found(static_cast<std::int64_t>(it.size()));
  if (word == "first") return it.size() == 0 ? nothing() : found(it.elements().front());
  if (word == "last") return it.size() == 0 ? nothing() : found(it.elements().back());
  const std::string argument(step.string_at(word));
  std::string joined;
  Json kept = Json::array();
  for (const Json& element : it.elements()) {
    if (word == "joined_by") joined += (joined.empty() ? "" : argument) + plain(element);
    if (word == "each_as") {
      POSTERN_TRY(std::string expanded, expand_with(element, argument));
      kept.push(std::move(expanded));
    }
    if (word == "each") {
      if (const Json* member = element.find(argument)) kept.push(*member);
    }
  }
  return word == "joined_by" ? found(std::move(joined)) : found(std::move(kept));
}

Found ScriptValues::compare_step(const Json& step, const Json& it) {
  const std::string_view word = word_of(step);
  POSTERN_TRY(const std::optional<Json> other, value(step.string_at(word)));
  if (!other || !it.is_array()) return nothing();
  const std::string_view by = step.string_at("by");
  const std::vector<std::string> words = words_of(plain(*other));
  const auto is_among = [&](const Json& member) {
    return std::any_of(other->elements().begin(), other->elements().end(), [&](const Json& one) {
      const Json* its = one.find(by);
      return its != nullptr && *its == member;
    });
  };
  Json kept = Json::array();
  for (const Json& element : it.elements()) {
    const Json* member = element.find(by);
    if (member == nullptr) continue;
    if (word == "named_in" ? is_named_in(plain(*member), words) : !is_among(*member)) kept.push(element);
  }
  return found(std::move(kept));
}

Found ScriptValues::number_step(const Json& step, const Json& it) {
  const std::string_view word = word_of(step);
  if (word == "sum") {
    std::int64_t sum = 0;
    for (const Json& element : it.elements()) sum += element.integer().value_or(0);
    return found(sum);
  }
  POSTERN_TRY(const std::optional<Json> other, value(step.string_at(word)));
  if (!other) return nothing();
  if (word == "days_since") {
    const auto later = day_number(plain(it));
    const auto earlier = day_number(plain(*other));
    return later && earlier ? found(*later - *earlier) : nothing();
  }
  const auto a = it.integer();
  const auto b = other->integer();
  if (!a || !b) return nothing();
  return found(word == "plus" ? *a + *b : *a - *b);
}

Result<Json> ScriptValues::named(std::string_view name) {
  const std::size_t slash = std::min(name.find('/'), name.size());
  POSTERN_TRY(const std::optional<Json> value, this->value(name.substr(0, slash)));
  const Json* there = value ? at_pointer(*value, name.substr(slash)) : nullptr;
  if (there == nullptr) {
    return RequestRefused{"the value '" + std::string(name) + "' is not in anything that this script was given"};
  }
  return *there;
}

Result<std::string> ScriptValues::expand_with(const Json& it, std::string_view text) {
  std::optional<Json> kept = std::exchange(known_["it"], it);
  Result<std::string> expanded = expand_text(text);
  known_["it"] = std::move(kept);
  return expanded;
}

Result<std::string> ScriptValues::expand_text(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t begin = text.find("${");
    if (begin == std::string_view::npos) return out + std::string(text);
    const std::size_t end = text.find('}', begin);
    if (end == std::string_view::npos) return broken("'${' without '}'");
    POSTERN_TRY(const Json value, named(text.substr(begin + 2, end - begin - 2)));
    out += text.substr(0, begin);
    out += plain(value);
    text.remove_prefix(end + 1);
  }
}

Result<Json> ScriptValues::expand(const Json& form) {
  if (const std::string* text = form.string()) {
    if (text->starts_with("${") && text->find('}') == text->size() - 1) {
      return named(std::string_view(*text).substr(2, text->size() - 3));
    }
    POSTERN_TRY(std::string expanded, expand_text(*text));
    return Json(std::move(expanded));
  }
  if (form.is_object()) {
    Json out = Json::object();
    for (const auto& member : form.members()) {
      POSTERN_TRY(Json expanded, expand(member.second));
      out.set(member.first, std::move(expanded));
    }
    return out;
  }
  if (form.is_array()) {
    Json out = Json::array();
    for (const Json& element : form.elements()) {
      POSTERN_TRY(Json expanded, expand(element));
      out.push(std::move(expanded));
    }
    return out;
  }
  return form;
}

std::optional<bool> ScriptValues::call_condition(const Json& condition) const {
  const std::string_view word = word_of(condition);
  const std::string_view tool = condition.string_at(word);
  if (word == "called") {
    return conversation_.calls_of(tool) >= condition.integer_at("times").value_or(1);
  }
  if (word == "uncalled") return conversation_.calls_of(tool) == 0;
  if (word == "offered") return conversation_.offers(tool);
  if (word == "withheld") return !conversation_.offers(tool);
  const AnsweredCall* last = conversation_.last(tool);
  if (word == "good") return last != nullptr && last->labeled && !last->is_error;
  if (word == "refused") return last != nullptr && last->is_error;
  return std::nullopt;
}

Result<bool> ScriptValues::value_condition(const Json& condition) {
  POSTERN_TRY(const std::optional<Json> value, this->value(condition.string_at("value")));
  if (!value) return false;
  if (const Json* is = condition.find("is")) return *value == *is;
  if (const Json* is_not = condition.find("is_not")) return !(*value == *is_not);
  if (const Json* part = condition.find("holds")) {
    return find_ignoring_case(plain(*value), plain(*part)) != std::string_view::npos;
  }
  if (const Json* above = condition.find("above")) {
    std::optional<std::int64_t> bound = above->integer();
    if (const std::string* name = above->string()) {
      POSTERN_TRY(const std::optional<Json> other, this->value(*name));
      bound = other ? other->integer() : std::nullopt;
    }
    return bound && value->integer() && *value->integer() > *bound;
  }
  if (const Json* same = condition.find("same_as")) {
    POSTERN_TRY(const std::optional<Json> other, this->value(plain(*same)));
    return other && *other == *value;
  }
  return broken("a condition on a value compares it with nothing");
}

Result<bool> ScriptValues::holds(const Json& condition) {
  const std::string_view word = word_of(condition);
  if (word == "not") {
    POSTERN_TRY(const bool inner, holds(argument_of(condition)));
    return !inner;
  }
  if (word == "known" || word == "unknown") {
    POSTERN_TRY(const std::optional<Json> value, this->value(condition.string_at(word)));
    return value.has_value() == (word == "known");
  }
  if (word == "value") return value_condition(condition);
  if (const auto of_call = call_condition(condition)) return *of_call;
  return broken("there is no condition '" + std::string(word) + "'");
}

}  // namespace postern::lab
