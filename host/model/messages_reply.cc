#include "host/model/messages_reply.h"

#include <set>
#include <string>
#include <utility>

#include "host/model/failures.h"
#include "wire/base/check.h"
#include "wire/base/visible_text.h"

namespace postern::host {
namespace {

constexpr std::size_t kReplyBytesMax = 8 * 1024 * 1024;
constexpr std::size_t kToolUsesMax = 32;  // of one turn; one was asked for

// Blocks that only a service which runs tools itself can send (Messages API, "MCP connector" and server tools).
bool is_server_side(std::string_view type) {
  return type == "server_tool_use" || type == "mcp_tool_use" || type == "mcp_tool_listing" ||
         type == "container_upload" || (type.ends_with("_tool_result") && type != "tool_result");
}

bool is_block_id(std::string_view id) {
  if (id.empty() || id.size() > 128) return false;
  for (const char c : id) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
    if (!plain) return false;
  }
  return true;
}

StopReason stop_reason_of(std::string_view text) {
  if (text == "end_turn") return StopReason::kEndTurn;
  if (text == "tool_use") return StopReason::kToolUse;
  if (text == "max_tokens") return StopReason::kMaxTokens;
  if (text == "stop_sequence") return StopReason::kStopSequence;
  if (text == "pause_turn") return StopReason::kPauseTurn;
  if (text == "refusal") return StopReason::kRefusal;
  if (text == "model_context_window_exceeded") return StopReason::kContextWindowExceeded;
  return StopReason::kUnknown;
}

Result<ToolUse> read_tool_use(const Json& block) {
  const std::string_view id = block.string_at("id");
  const std::string_view name = block.string_at("name");
  const Json* input = block.find("input");
  if (!is_block_id(id)) return ModelReplyMalformed{"a tool call without a usable id"};
  if (name.empty()) return ModelReplyMalformed{"a tool call without a name"};
  if (input == nullptr) return ModelReplyMalformed{"a tool call without an input"};
  // Absent is allowed: only newer services send it. Anything but "direct" was called from code that runs elsewhere.
  if (const Json* caller = block.find("caller"); caller != nullptr && !caller->is_null()) {
    if (caller->string_at("type") != "direct") {
      return ModelServerSideWork{"a tool call from " + visible_line(caller->string_at("type"), 60)};
    }
  }
  return ToolUse{std::string(id), std::string(name), *input};
}

Status read_block(const Json& block, ModelTurn& turn, std::set<std::string>& ids) {
  const std::string_view type = block.string_at("type");
  if (!block.is_object() || type.empty()) return ModelReplyMalformed{"a content block without a type"};
  if (is_server_side(type)) return ModelServerSideWork{visible_line(type, 60)};
  if (type == "text") {
    const std::string_view words = block.string_at("text");
    if (!words.empty() && !turn.text.empty()) turn.text += '\n';
    turn.text += words;
  }
  if (type == "tool_use") {
    POSTERN_TRY(ToolUse use, read_tool_use(block));
    if (!ids.insert(use.id).second) return ModelReplyMalformed{"two tool calls with one id"};
    if (turn.tool_uses.size() == kToolUsesMax) return ModelReplyMalformed{"more than 32 tool calls in one turn"};
    turn.tool_uses.push_back(std::move(use));
  }
  return {};
}

std::string refusal_of(const Json& message) {
  const Json* details = message.find("stop_details");
  if (details == nullptr) return "";
  std::string text = visible_line(details->string_at("category"), 60);
  const std::string explanation = visible_line(details->string_at("explanation"), 300);
  if (!text.empty() && !explanation.empty()) text += ": ";
  return text + explanation;
}

std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::size_t after_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

// One past the value that begins at `at`.
std::size_t end_of_value(std::string_view text, std::size_t at) {
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_string(text, at);
      if (depth == 0) return at;
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') {
      if (depth == 0) return at;
      --depth;
      if (depth == 0) return at + 1;
    }
    if (depth == 0 && (c == ',' || is_space(c))) return at;
    ++at;
  }
  return at;
}

}  // namespace

std::optional<std::string_view> raw_member(std::string_view object_text, std::string_view name) {
  std::size_t at = after_space(object_text, 0);
  POSTERN_CHECK(at < object_text.size() && object_text[at] == '{');
  at = after_space(object_text, at + 1);
  while (at < object_text.size() && object_text[at] == '"') {
    const std::size_t name_end = end_of_string(object_text, at);
    const std::string_view found = object_text.substr(at + 1, name_end - at - 2);
    at = after_space(object_text, name_end);
    at = after_space(object_text, at + 1);  // the colon
    const std::size_t value_end = end_of_value(object_text, at);
    if (found == name) return object_text.substr(at, value_end - at);
    at = after_space(object_text, value_end);
    at = after_space(object_text, at + 1);  // the comma
  }
  return std::nullopt;
}

Result<ModelTurn> read_messages_reply(std::string_view body) {
  auto parsed = parse_json(body, {kReplyBytesMax, 64});
  if (!parsed) return ModelReplyMalformed{"it is not the JSON it should be (" + std::string(parsed.error().id()) + ")"};
  const Json& message = *parsed;
  if (!message.is_object()) return ModelReplyMalformed{"it is no JSON object"};
  if (message.string_at("role") != "assistant") return ModelReplyMalformed{"its role is not assistant"};
  const Json* content = message.find("content");
  if (content == nullptr || !content->is_array()) return ModelReplyMalformed{"it has no content array"};
  const Json* stop = message.find("stop_reason");
  if (stop == nullptr) return ModelReplyMalformed{"it has no stop_reason"};
  // A name that is written with an escape is found by the parser and not by raw_member(): no service writes one.
  const auto raw = raw_member(body, "content");
  if (!raw) return ModelReplyMalformed{"its content cannot be kept as it came"};

  ModelTurn turn;
  turn.content_json = std::string(*raw);
  std::set<std::string> ids;
  for (const Json& block : content->elements()) POSTERN_TRY_VOID(read_block(block, turn, ids));
  const std::string_view stop_text = stop->string() == nullptr ? std::string_view("null") : *stop->string();
  turn.stop = stop_reason_of(stop_text);
  turn.stop_text = visible_line(stop_text, 60);
  if (turn.stop == StopReason::kRefusal) turn.refusal = refusal_of(message);
  if (const Json* usage = message.find("usage"); usage != nullptr) {
    turn.input_tokens = usage->integer_at("input_tokens").value_or(0) +
                        usage->integer_at("cache_creation_input_tokens").value_or(0) +
                        usage->integer_at("cache_read_input_tokens").value_or(0);
    turn.output_tokens = usage->integer_at("output_tokens").value_or(0);
  }
  if (turn.stop == StopReason::kToolUse && turn.tool_uses.empty()) {
    return ModelReplyMalformed{"it stops for a tool and calls none"};
  }
  // Cut-off and refused turns may hold half a call: only a turn that stops for its tools has any.
  if (turn.stop != StopReason::kToolUse) turn.tool_uses.clear();
  return turn;
}

Status check_stop(const ModelTurn& turn) {
  switch (turn.stop) {
    case StopReason::kEndTurn:
    case StopReason::kToolUse:
      return {};
    case StopReason::kMaxTokens:
    case StopReason::kContextWindowExceeded:
      return ModelTurnCutOff{turn.stop_text};
    case StopReason::kRefusal:
      return ModelDeclined{turn.refusal};
    case StopReason::kStopSequence:  // none is ever asked for
    case StopReason::kPauseTurn:     // only server tools pause, and there are none
    case StopReason::kUnknown:
      return ModelStopUnexpected{turn.stop_text};
  }
  return ModelStopUnexpected{turn.stop_text};
}

}  // namespace postern::host
