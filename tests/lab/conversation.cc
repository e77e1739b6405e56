#include "tests/lab/conversation.h"

#include <algorithm>
#include <set>
#include <utility>

namespace postern::lab {
namespace {

RequestRefused refuse(std::string reason) {
  return RequestRefused{std::move(reason)};
}

// The members of a request that this double knows; the service refuses others too.
constexpr std::string_view kMembers[] = {"model",       "max_tokens",     "messages",      "system",   "tools",
                                         "tool_choice", "stop_sequences", "output_config", "metadata", "stream"};
constexpr std::string_view kSampling[] = {"temperature", "top_p", "top_k"};

bool is_tool_name(std::string_view name) {
  if (name.empty() || name.size() > 128) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
  });
}

Status check_top(const Json& request) {
  if (!request.is_object()) return refuse("the body is no JSON object");
  for (const std::string_view name : kSampling) {
    if (request.has(name)) return refuse(std::string(name) + ": Extra inputs are not permitted");
  }
  for (const auto& [name, value] : request.members()) {
    if (std::find(std::begin(kMembers), std::end(kMembers), name) == std::end(kMembers)) {
      return refuse(name + ": Extra inputs are not permitted");
    }
  }
  if (request.string_at("model").empty()) return refuse("model: Field required");
  if (request.integer_at("max_tokens").value_or(0) < 1) return refuse("max_tokens: must be at least 1");
  if (request.boolean_at("stream").value_or(false)) return refuse("stream: this double gives whole replies only");
  if (const Json* choice = request.find("tool_choice"); choice != nullptr) {
    const std::string_view type = choice->string_at("type");
    if (type != "auto" && type != "none") return refuse("tool_choice: forced tool use is not supported with thinking");
  }
  return {};
}

Result<std::string> text_of(const Json& content, std::string_view place) {
  if (const std::string* text = content.string()) return *text;
  if (!content.is_array()) return refuse(std::string(place) + ": neither a string nor an array of blocks");
  std::string text;
  for (const Json& block : content.elements()) {
    if (block.string_at("type") != "text") return refuse(std::string(place) + ": holds a block that is no text");
    if (const Json* citations = block.find("citations"); citations != nullptr && citations->size() > 0) {
      return refuse(std::string(place) + ": citations in a user message");
    }
    text += block.string_at("text");
  }
  return text;
}

Status read_tools(const Json& request, Conversation& conversation) {
  const Json* tools = request.find("tools");
  if (tools == nullptr) return {};
  for (const Json& tool : tools->elements()) {
    const std::string name(tool.string_at("name"));
    if (!is_tool_name(name)) return refuse("tools: '" + name + "' does not match ^[a-zA-Z0-9_-]{1,128}$");
    if (conversation.offers(name)) return refuse("tools: the name '" + name + "' occurs twice");
    const Json* schema = tool.find("input_schema");
    if (schema == nullptr || schema->string_at("type") != "object") {
      return refuse("tools: the input_schema of '" + name + "' is no object schema");
    }
    conversation.offered.push_back(name);
  }
  return {};
}

// The calls of one assistant message, still without answers.
Result<std::vector<AnsweredCall>> read_calls(const Json& content) {
  std::vector<AnsweredCall> calls;
  for (const Json& block : content.elements()) {
    const std::string_view type = block.string_at("type");
    if (type == "document") return refuse("messages: a document in an assistant message");
    if (type != "tool_use") continue;
    AnsweredCall call;
    call.id = std::string(block.string_at("id"));
    call.tool = std::string(block.string_at("name"));
    if (const Json* input = block.find("input")) call.input = *input;
    calls.push_back(std::move(call));
  }
  return calls;
}

Status read_answer(const Json& block, std::vector<AnsweredCall>& open, std::set<std::string>& answered,
                   const LabelForm& form) {
  const std::string id(block.string_at("tool_use_id"));
  const auto call = std::find_if(open.begin(), open.end(), [&id](const AnsweredCall& one) { return one.id == id; });
  if (call == open.end()) return refuse("messages: a tool_result for '" + id + "', which no tool_use before it has");
  if (!answered.insert(id).second) return refuse("messages: two tool_results for '" + id + "'");
  call->is_error = block.boolean_at("is_error").value_or(false);
  if (const Json* content = block.find("content")) {
    POSTERN_TRY(call->text, text_of(*content, "tool_result"));
  }
  if (call->is_error && call->text.empty()) return refuse("messages: content cannot be empty if is_error is true");
  call->data = call->text;
  if (auto label = read_label(call->text, form)) {
    call->labeled = true;
    call->nonce = label->nonce;
    call->data = label->data;
    if (label->tool != call->tool)
      return refuse("a label names the tool '" + label->tool + "' on a result of '" + call->tool + "'");
  }
  if (auto json = parse_json(call->data, {16 << 20, 64})) call->json = *std::move(json);
  return {};
}

// A user message: the answers to `open`, results first.
Status read_user(const Json& content, std::vector<AnsweredCall>& open, const LabelForm& form) {
  std::set<std::string> answered;
  bool other_seen = false;
  for (const Json& block : content.elements()) {
    if (block.string_at("type") == "tool_result") {
      if (other_seen) return refuse("messages: tool_result blocks must come first in the message");
      POSTERN_TRY_VOID(read_answer(block, open, answered, form));
    } else {
      other_seen = true;
      POSTERN_TRY(const std::string text, text_of(Json::array({block}), "messages"));
    }
  }
  if (answered.size() != open.size()) {
    return refuse("messages: `tool_use` ids were found without `tool_result` blocks immediately after");
  }
  return {};
}

Status read_messages(const Json& request, Conversation& conversation, const LabelForm& form) {
  const Json* messages = request.find("messages");
  if (messages == nullptr || messages->size() == 0) return refuse("messages: Field required");
  std::vector<AnsweredCall> open;
  bool user_turn = true;
  for (const Json& message : messages->elements()) {
    const std::string_view role = message.string_at("role");
    const Json* content = message.find("content");
    if (role != (user_turn ? "user" : "assistant")) return refuse("messages: roles must alternate and begin with user");
    if (content == nullptr) return refuse("messages: content: Field required");
    if (user_turn) {
      if (&message == &messages->elements().front()) {
        POSTERN_TRY(conversation.opening, text_of(*content, "messages"));
      }
      POSTERN_TRY_VOID(read_user(*content, open, form));
      std::move(open.begin(), open.end(), std::back_inserter(conversation.calls));
      open.clear();
    } else {
      POSTERN_TRY(open, read_calls(*content));
    }
    user_turn = !user_turn;
  }
  if (user_turn) return refuse("messages: the last one is the assistant's; prefilling is not supported");
  return {};
}

// The value of name="value" in a mark, which has to be there.
std::optional<std::string> attribute(std::string_view mark, std::string_view name) {
  const std::string begin = " " + std::string(name) + "=\"";
  const std::size_t at = mark.find(begin);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t end = mark.find('"', at + begin.size());
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(mark.substr(at + begin.size(), end - at - begin.size()));
}

bool contains_ignoring_case(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return lower(a) == lower(b);
  };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
}

}  // namespace

bool Conversation::offers(std::string_view tool) const {
  return std::find(offered.begin(), offered.end(), tool) != offered.end();
}

int Conversation::calls_of(std::string_view tool) const {
  return static_cast<int>(
      std::count_if(calls.begin(), calls.end(), [tool](const AnsweredCall& call) { return call.tool == tool; }));
}

const AnsweredCall* Conversation::last(std::string_view tool) const {
  const auto found =
      std::find_if(calls.rbegin(), calls.rend(), [tool](const AnsweredCall& call) { return call.tool == tool; });
  return found == calls.rend() ? nullptr : &*found;
}

const AnsweredCall* Conversation::last_good(std::string_view tool) const {
  const auto found = std::find_if(calls.rbegin(), calls.rend(), [tool](const AnsweredCall& call) {
    return call.tool == tool && call.labeled && !call.is_error;
  });
  return found == calls.rend() ? nullptr : &*found;
}

std::optional<LabeledBlock> read_label(std::string_view text, const LabelForm& form) {
  const std::string opening = "<" + form.mark + " ";
  const std::size_t line_end = text.find('\n');
  if (!text.starts_with(opening) || line_end == std::string_view::npos || text[line_end - 1] != '>')
    return std::nullopt;
  const std::string_view mark = text.substr(0, line_end);
  const auto nonce = attribute(mark, "nonce");
  const auto tool = attribute(mark, "tool");
  if (!nonce || nonce->size() < 8 || !tool) return std::nullopt;
  const std::string closing = "\n</" + form.mark + " nonce=\"" + *nonce + "\">";
  if (!text.ends_with(closing) || text.size() < line_end + 1 + closing.size()) return std::nullopt;
  std::string_view data = text.substr(line_end + 1, text.size() - closing.size() - line_end - 1);
  for (const std::string& begins : form.preface) {
    if (!data.starts_with(begins)) continue;
    const std::size_t end = data.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    data.remove_prefix(end + 1);
  }
  // Data that holds a mark or the nonce could close its own block: then the label is worth nothing.
  if (contains_ignoring_case(data, form.mark) || data.find(*nonce) != std::string_view::npos) return std::nullopt;
  return LabeledBlock{*tool, *nonce, std::string(data)};
}

Result<Conversation> read_conversation(std::string_view body, const LabelForm& label) {
  auto parsed = parse_json(body, {32 << 20, 64});
  if (!parsed) return refuse("the body is not the JSON it should be");
  Conversation conversation;
  conversation.request = *std::move(parsed);
  POSTERN_TRY_VOID(check_top(conversation.request));
  if (const Json* system = conversation.request.find("system")) {
    POSTERN_TRY(conversation.system, text_of(*system, "system"));
  }
  POSTERN_TRY_VOID(read_tools(conversation.request, conversation));
  POSTERN_TRY_VOID(read_messages(conversation.request, conversation, label));
  return conversation;
}

}  // namespace postern::lab
