#include "tests/faults/run_text.h"

#include <map>

#include "wire/base/replace_text.h"

namespace postern::faults {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// "12 ms" as "<n> ms".
std::string without_milliseconds(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end > at && text.compare(end, 3, " ms") == 0) {
      out += "<n>";
      at = end;
    } else {
      out += text[at++];
    }
  }
  return out;
}

// nonce="0123456789abcdef", of a label of this run.
std::string without_nonce(std::string text) {
  constexpr std::string_view kOpening = "<untrusted-data nonce=\"";
  const std::size_t at = text.find(kOpening);
  if (at != 0) return text;
  const std::string nonce = text.substr(kOpening.size(), text.find('"', kOpening.size()) - kOpening.size());
  if (!nonce.empty()) replace_all(text, nonce, "<nonce>");
  return text;
}

const Json::Array& messages_of(const std::vector<Json>& requests) {
  static const Json::Array kNone;
  const Json* messages = requests.empty() ? nullptr : requests.back().find("messages");
  return messages == nullptr ? kNone : messages->elements();
}

// A tool result's content is a text, or text blocks.
std::string text_of(const Json& result) {
  const Json* content = result.find("content");
  if (content == nullptr) return {};
  if (content->string() != nullptr) return *content->string();
  std::string text;
  for (const Json& block : content->elements()) text += block.string_at("text");
  return text;
}

}  // namespace

std::string Aliases::in(std::string text) const {
  text = without_nonce(std::move(text));
  if (!lab_program.empty()) replace_all(text, lab_program, "<postern-lab>");
  replace_all(text, folder, "<folder>");
  if (!run.empty()) replace_all(text, run, "<run>");
  return real_time ? without_milliseconds(text) : text;
}

std::vector<std::string> offered_in(const std::vector<Json>& requests) {
  std::vector<std::string> names;
  const Json* tools = requests.empty() ? nullptr : requests.back().find("tools");
  if (tools == nullptr) return names;
  for (const Json& tool : tools->elements()) names.emplace_back(tool.string_at("name"));
  return names;
}

std::vector<Told> told_in(const std::vector<Json>& requests) {
  std::map<std::string, std::string, std::less<>> tool_of;  // by the id of the call
  std::vector<Told> told;
  for (const Json& message : messages_of(requests)) {
    const Json* content = message.find("content");
    if (content == nullptr) continue;
    for (const Json& block : content->elements()) {
      const std::string_view type = block.string_at("type");
      if (type == "tool_use") tool_of.emplace(block.string_at("id"), block.string_at("name"));
      if (type != "tool_result") continue;
      const auto tool = tool_of.find(block.string_at("tool_use_id"));
      told.push_back({tool == tool_of.end() ? std::string("?") : tool->second,
                      block.boolean_at("is_error").value_or(false), text_of(block)});
    }
  }
  return told;
}

std::string failure_in(const std::vector<Told>& told, std::string_view printed) {
  struct Sentence {
    std::string_view holds;
    std::string_view id;
  };
  constexpr Sentence kSentences[] = {{"exceeds the", "refund.over_limit"},
                                     {"The call timed out", "transport.timed_out"},
                                     {"Output validation error", "schema.output_invalid"},
                                     {"The answer to the refund call was lost", "bridge.outcome_unknown"}};
  for (const Told& one : told) {
    for (const Sentence& sentence : kSentences) {
      if (one.is_error && one.text.find(sentence.holds) != std::string::npos) return std::string(sentence.id);
    }
  }
  constexpr std::string_view kTooLong = "bytes of body, more than";
  return printed.find(kTooLong) == std::string_view::npos ? "success" : "transport.response_over_bound";
}

}  // namespace postern::faults
