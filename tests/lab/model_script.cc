#include "tests/lab/model_script.h"

#include <algorithm>
#include <utility>

#include "tests/lab/text_search.h"
#include "wire/base/embedded.h"

POSTERN_EMBEDDED(fixtures_models_scripts)

namespace postern::lab {
namespace {

const Json& member(const Json& object, std::string_view name) {
  static const Json kNull;
  const Json* found = object.find(name);
  return found == nullptr ? kNull : *found;
}

std::vector<std::string> strings(const Json& array) {
  std::vector<std::string> all;
  for (const Json& one : array.elements()) {
    if (one.string() != nullptr) all.push_back(*one.string());
  }
  return all;
}

RequestRefused refuse(std::string reason) {
  return RequestRefused{std::move(reason)};
}

bool is_token_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

Result<bool> all_hold(const Json& conditions, ScriptValues& values) {
  for (const Json& condition : conditions.elements()) {
    POSTERN_TRY(const bool holds, values.holds(condition));
    if (!holds) return false;
  }
  return true;
}

constexpr std::string_view kMembers[] = {"name", "about", "extends", "label", "requires", "forbids", "values", "rules"};
constexpr std::string_view kRuleMembers[] = {"if", "expects", "thinks", "says", "calls", "ends"};

template <class List>
std::optional<std::string> stranger_in(const Json& object, const List& known) {
  for (const auto& one : object.members()) {
    if (std::find(std::begin(known), std::end(known), one.first) == std::end(known)) return one.first;
  }
  return std::nullopt;
}

Json extended(const Json& base, const Json& own) {
  Json whole = base;
  Json values = member(base, "values");
  for (const auto& one : member(own, "values").members()) values.set(one.first, one.second);
  Json rules = member(own, "rules");
  for (const Json& rule : member(base, "rules").elements()) rules.push(rule);
  whole.set("name", member(own, "name"));
  whole.set("values", std::move(values));
  whole.set("rules", std::move(rules));
  return whole;
}

std::string_view name_of(const EmbeddedFile& file) {
  return file.name.substr(0, file.name.rfind('.'));
}

const EmbeddedFile* file_of(std::string_view name) {
  for (const EmbeddedFile& file : embedded::fixtures_models_scripts()) {
    if (name_of(file) == name) return &file;
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> secret_shape_in(std::string_view text, const std::vector<std::string>& prefixes) {
  constexpr std::size_t kTail = 8;
  for (const std::string& prefix : prefixes) {
    for (std::size_t at = text.find(prefix); at != std::string_view::npos; at = text.find(prefix, at + 1)) {
      if (at > 0 && is_token_character(text[at - 1])) continue;
      std::size_t end = at + prefix.size();
      while (end < text.size() && is_token_character(text[end])) ++end;
      if (end - at - prefix.size() >= kTail) return std::string(text.substr(at, end - at));
    }
  }
  return std::nullopt;
}

Result<ModelScript> ModelScript::parse(std::string_view text, const ModelScript* base) {
  auto parsed = parse_json(text);
  if (!parsed) return ScriptBroken{parsed.error().text()};
  if (const auto stranger = stranger_in(*parsed, kMembers)) return ScriptBroken{"it has a member '" + *stranger + "'"};
  if (parsed->has("extends") != (base != nullptr)) return ScriptBroken{"what it extends is not there"};
  ModelScript script;
  script.document_ = base == nullptr ? *std::move(parsed) : extended(base->document_, *parsed);
  script.name_ = std::string(script.document_.string_at("name"));
  const Json& label = member(script.document_, "label");
  script.label_ = {std::string(label.string_at("mark")), strings(member(label, "preface"))};
  if (script.name_.empty()) return ScriptBroken{"it has no name"};
  if (script.label_.mark.empty()) return ScriptBroken{"it does not say how labels look"};
  const Json& rules = member(script.document_, "rules");
  if (rules.size() == 0) return ScriptBroken{"it has no rules"};
  for (const Json& rule : rules.elements()) {
    if (const auto stranger = stranger_in(rule, kRuleMembers))
      return ScriptBroken{"a rule has a member '" + *stranger + "'"};
    if (rule.has("calls") == rule.has("ends")) return ScriptBroken{"a rule has to call or to end, one of the two"};
  }
  return script;
}

Status ModelScript::check(const HeaderList& headers, const Conversation& conversation) const {
  const Json& wanted = member(document_, "requires");
  for (const auto& one : member(wanted, "headers").members()) {
    const std::string* value = headers.find(one.first);
    if (value == nullptr) return refuse(one.first + ": header is required");
    if (one.second.string() == nullptr || *value != *one.second.string()) {
      return refuse(one.first + ": \"" + *value + "\" is not a valid version");
    }
  }
  for (const std::string& part : strings(member(wanted, "system_holds"))) {
    if (conversation.system.find(part) == std::string::npos)
      return refuse("the system prompt does not hold \"" + part + "\"");
  }
  for (const std::string& part : strings(member(wanted, "opening_holds"))) {
    if (conversation.opening.find(part) == std::string::npos)
      return refuse("the first message does not hold \"" + part + "\"");
  }
  POSTERN_TRY_VOID(check_offer(conversation));
  POSTERN_TRY_VOID(check_results(conversation));
  return check_shapes(conversation);
}

Status ModelScript::check_offer(const Conversation& conversation) const {
  const Json& wanted = member(document_, "requires");
  for (const std::string& tool : strings(member(wanted, "offered"))) {
    if (!conversation.offers(tool)) return refuse("the tool " + tool + " is not offered");
  }
  for (const std::string& tool : strings(member(wanted, "withheld"))) {
    if (conversation.offers(tool)) return refuse("the tool " + tool + " is offered, and is the host's own");
  }
  for (const Json& tool : member(conversation.request, "tools").elements()) {
    // The rule is about the case. A tool of another server (SERVER__TOOL) acts on none.
    if (tool.string_at("name").find("__") != std::string_view::npos) continue;
    const Json& properties = member(member(tool, "input_schema"), "properties");
    for (const std::string& argument : strings(member(wanted, "arguments_withheld"))) {
      if (properties.has(argument)) {
        return refuse("the tool " + std::string(tool.string_at("name")) + " shows the argument " + argument);
      }
    }
  }
  return {};
}

// Nothing of a server without a label: what is not labeled is a sentence of the host's, and an error.
Status ModelScript::check_results(const Conversation& conversation) const {
  const std::vector<std::string> beginnings = strings(member(member(document_, "requires"), "unlabeled_begin"));
  std::string nonce;
  for (const AnsweredCall& call : conversation.calls) {
    if (call.labeled) {
      if (nonce.empty()) nonce = call.nonce;
      if (call.nonce != nonce) return refuse("two labels of one run have different nonces");
      continue;
    }
    const bool known = std::any_of(beginnings.begin(), beginnings.end(),
                                   [&call](const std::string& begins) { return call.text.starts_with(begins); });
    if (!call.is_error || !known) return refuse("the result of " + call.tool + " is not labeled");
  }
  return {};
}

Status ModelScript::check_shapes(const Conversation& conversation) const {
  const std::vector<std::string> prefixes = strings(member(member(document_, "forbids"), "shapes"));
  if (const auto secret = secret_shape_in(conversation.request.dump(), prefixes)) {
    return refuse("the request holds something of the shape of a secret: " + secret->substr(0, 4) + "…");
  }
  return {};
}

Result<ModelMove> ModelScript::next(const Conversation& conversation) const {
  static const Json kNoValues = Json::object();
  const Json* definitions = document_.find("values");
  ScriptValues values(definitions == nullptr ? kNoValues : *definitions, conversation);
  for (const Json& rule : member(document_, "rules").elements()) {
    POSTERN_TRY(const bool applies, all_hold(member(rule, "if"), values));
    if (!applies) continue;
    for (const Json& expectation : member(rule, "expects").elements()) {
      POSTERN_TRY(const bool holds, values.holds(expectation));
      if (!holds) return refuse("the script " + name_ + " expects here that " + expectation.dump());
    }
    ModelMove move;
    move.thinks = std::string(rule.string_at("thinks"));
    POSTERN_TRY(const Json says, values.expand(rule.has("ends") ? member(rule, "ends") : member(rule, "says")));
    if (says.string() != nullptr) move.says = *says.string();
    if (const Json* calls = rule.find("calls")) {
      POSTERN_TRY(const Json tool, values.expand(member(*calls, "tool")));
      if (tool.string() == nullptr) return ScriptBroken{"a call names no tool"};
      move.tool = *tool.string();
      POSTERN_TRY(move.input, values.expand(member(*calls, "input")));
    }
    return move;
  }
  return refuse("the script " + name_ + " has no step for this conversation");
}

std::vector<std::string> script_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded::fixtures_models_scripts()) names.emplace_back(name_of(file));
  return names;
}

Result<ModelScript> embedded_script(std::string_view name) {
  const EmbeddedFile* file = file_of(name);
  if (file == nullptr) {
    std::string known;
    for (const std::string& one : script_names()) known += (known.empty() ? "" : ", ") + one;
    return ScriptBroken{"there is none of the name '" + std::string(name) + "'; there are " + known};
  }
  const auto document = parse_json(file->content);
  if (!document) return ScriptBroken{document.error().text()};
  const std::string_view extends = document->string_at("extends");
  if (extends.empty()) return ModelScript::parse(file->content);
  const EmbeddedFile* base_file = file_of(extends);
  if (base_file == nullptr) return ScriptBroken{"it extends '" + std::string(extends) + "', which is not there"};
  POSTERN_TRY(const ModelScript base, ModelScript::parse(base_file->content));
  return ModelScript::parse(file->content, &base);
}

}  // namespace postern::lab
