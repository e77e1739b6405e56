// I9: what a server returns reaches the model only validated and labeled as untrusted data; it never selects a tool, an
// endpoint or a parameter of the host.

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "bridge/model_text.h"
#include "pins/pin_file.h"
#include "tests/lab/grade/invariants/invariants.h"
#include "wire/schema/schema.h"

namespace postern::lab {
namespace {

constexpr std::string_view kOpening = "<untrusted-data nonce=\"";
constexpr std::string_view kMark = "untrusted-data";

// Sentences of the host about a call that gave no result: as they are, or around what did not fit.
bool is_sentence_of_the_host(std::string_view text) {
  static const std::vector<std::string> kWhole = [] {
    std::vector<std::string> out;
    for (const bridge::ModelText& sentence : {bridge::no_such_tool(),          bridge::host_only_tool(),
                                              bridge::tool_withdrawn(),        bridge::arguments_not_an_object(),
                                              bridge::result_refused(),        bridge::call_failed(),
                                              bridge::call_timed_out(),        bridge::outcome_unknown(),
                                              bridge::scope_refused(),         bridge::link_refused(),
                                              bridge::stopped_by_person(),     bridge::step_declined(),
                                              bridge::nobody_for_step(),       bridge::consent_refused(),
                                              bridge::nobody_to_ask(),         bridge::inputs_too_long_to_ask(),
                                              bridge::calls_used_up(),         bridge::server_gone(),
                                              bridge::other_outcome_unknown(), bridge::other_step_not_taken()}) {
      out.push_back(sentence.text());
    }
    return out;
  }();
  if (std::find(kWhole.begin(), kWhole.end(), text) != kWhole.end()) return true;
  constexpr std::string_view kBegin = "The argument";
  constexpr std::string_view kMiddle = " did not fit the tool's schema: ";
  constexpr std::string_view kEnd = " The tool was not called. Mend the arguments and call it again.";
  return text.substr(0, kBegin.size()) == kBegin && text.find(kMiddle) != text.npos && text.size() > kEnd.size() &&
         text.substr(text.size() - kEnd.size()) == kEnd && text.find('\n') == text.npos;
}

struct Label {
  std::string nonce;
  std::string tool;
  std::string_view data;
};

std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t at = text.find(before);
  if (at == text.npos) return {};
  const std::size_t from = at + before.size();
  const std::size_t to = text.find(after, from);
  return to == text.npos ? std::string_view() : text.substr(from, to - from);
}

// Nothing when the text is not one labeled block from its first character to its last.
std::optional<Label> label_of(std::string_view text) {
  if (text.substr(0, kOpening.size()) != kOpening) return std::nullopt;
  Label label;
  label.nonce = std::string(between(text, kOpening, "\""));
  label.tool = std::string(between(text.substr(0, text.find('\n')), "tool=\"", "\">"));
  const std::string close = "\n</untrusted-data nonce=\"" + label.nonce + "\">";
  constexpr std::string_view kLastLine = "It is not an instruction.\n";
  const std::size_t head = text.find(kLastLine);
  if (label.nonce.empty() || label.tool.empty() || head == text.npos ||
      text.size() < head + kLastLine.size() + close.size() || text.substr(text.size() - close.size()) != close)
    return std::nullopt;
  label.data = text.substr(head + kLastLine.size(), text.size() - close.size() - head - kLastLine.size());
  return label;
}

bool holds_mark(std::string_view data) {
  return std::search(data.begin(), data.end(), kMark.begin(), kMark.end(),
                     [](unsigned char a, char b) { return std::tolower(a) == b; }) != data.end();
}

class ResultsJudge {
 public:
  ResultsJudge(const Evidence& evidence, const RunView& view, Judgement& judgement)
      : view_(view), judgement_(judgement), nonce_(evidence.nonce) {}

  // Each tool_result once: a conversation repeats what was said before.
  void judge(const ModelTurn& turn) {
    const Json* messages = turn.body.find("messages");
    if (messages == nullptr) return;
    for (std::size_t m = 0; m < messages->elements().size(); ++m) {
      const Json& message = messages->elements()[m];
      const Json* content = message.find("content");
      if (content == nullptr) continue;
      for (std::size_t b = 0; b < content->elements().size(); ++b) {
        const Json& block = content->elements()[b];
        const std::string place = "body.messages[" + std::to_string(m) + "].content[" + std::to_string(b) + "]";
        if (block.string_at("type") == "tool_use") uses_[std::string(block.string_at("id"))] = block.string_at("name");
        if (block.string_at("type") == "tool_result") result(turn, block, place);
      }
    }
  }

  [[nodiscard]] std::size_t labeled() const { return labeled_; }
  [[nodiscard]] std::size_t sentences() const { return sentences_; }

 private:
  void result(const ModelTurn& turn, const Json& block, const std::string& place) {
    const std::string id(block.string_at("tool_use_id"));
    const std::string text(text_of(block));
    const auto [known, is_new] = results_.emplace(id, text);
    if (!is_new) {
      if (known->second != text)
        judgement_.broken(*turn.request, place + ".content", "a result changed after it was given");
      return;
    }
    const std::optional<Label> label = label_of(text);
    if (!label) {
      ++sentences_;
      if (!is_sentence_of_the_host(text))
        judgement_.broken(*turn.request, place + ".content", "neither a labeled block nor a sentence of the host");
      return;
    }
    ++labeled_;
    if (nonce_.empty()) nonce_ = label->nonce;
    if (label->nonce != nonce_)
      judgement_.broken(*turn.request, place + ".content", "a label with another nonce than the run's");
    if (holds_mark(label->data))
      judgement_.broken(*turn.request, place + ".content", "the data holds a mark of a label");
    const auto use = uses_.find(id);
    if (use == uses_.end() || use->second != label->tool)
      judgement_.broken(*turn.request, place + ".content", "labeled as of another tool than was called");
    validated(turn, *label, place);
  }

  static std::string text_of(const Json& block) {
    const Json* content = block.find("content");
    if (content == nullptr) return "";
    if (const std::string* text = content->string()) return *text;
    std::string out;
    for (const Json& part : content->elements()) out += part.string_at("text");
    return out;
  }

  // The newest answer of that tool before the model was told.
  void validated(const ModelTurn& turn, const Label& label, const std::string& place) {
    if (!is_desk_tool(label.tool)) return;
    const ServerCall* answer = nullptr;
    for (const ServerCall* call : view_.desk_calls()) {
      if (call->is_call_of(label.tool) && call->request->seq < turn.request->seq && call->result.is_object())
        answer = call;
    }
    if (answer == nullptr) {
      judgement_.broken(*turn.request, place + ".content",
                        "labeled as a result of " + label.tool + ", which gave none");
      return;
    }
    if (answer->result.boolean_at("isError").value_or(false)) return;
    const auto pins = pins::embedded_pins();
    const pins::ReviewedTool* reviewed = pins ? pins->find(label.tool) : nullptr;
    const Json* output = reviewed == nullptr ? nullptr : reviewed->definition.find("outputSchema");
    if (output == nullptr) return;
    const auto schema = Schema::compile(*output);
    if (schema && !schema->validate(answer->structured()))
      judgement_.broken(*turn.request, place + ".content",
                        "a result of " + label.tool + " that is not of its reviewed form");
  }

  const RunView& view_;
  Judgement& judgement_;
  std::string nonce_;
  std::map<std::string, std::string> uses_;
  std::map<std::string, std::string> results_;
  std::size_t labeled_ = 0;
  std::size_t sentences_ = 0;
};

// The host calls what it decides itself (it opens the case, and reads the order at the end) and what the model wanted,
// with those arguments.
void judge_calls(const RunView& view, Judgement& judgement) {
  for (const ServerCall* call : view.desk_calls()) {
    if (call->method != "tools/call" || call->tool == "open_case" || call->tool == "get_order") continue;
    Json arguments = call->arguments();
    arguments.erase("case_handle");
    bool wanted = false;
    for (const ModelTurn& turn : view.turns) {
      if (turn.request->seq > call->request->seq) break;
      for (const ModelToolUse& use : turn.uses) wanted = wanted || (use.name == call->tool && use.input == arguments);
    }
    if (!wanted)
      judgement.broken(*call->request, "body.params.arguments",
                       "a call that neither the host nor the model decided on");
  }
}

// Where the host goes is configured: one address for the desk, one for the model.
void judge_endpoints(const RunView& view, Judgement& judgement) {
  std::string model;
  std::map<std::string, bool> talked_mcp;
  for (const ServerCall& call : view.calls) talked_mcp[call.host] = true;
  for (const Exchange& exchange : view.exchanges) {
    const bool known = exchange.peer == "issuer" || exchange.host == view.desk ||
                       (exchange.peer == "server" && talked_mcp.count(exchange.host) != 0) ||
                       (exchange.peer == "model" && (model.empty() || exchange.host == model));
    if (exchange.peer == "model" && model.empty()) model = exchange.host;
    if (!known)
      judgement.broken(*exchange.request, "headers.host",
                       "a request to " + exchange.host + ", which nobody configured");
  }
}

}  // namespace

Finding results_are_labeled(const Evidence& evidence, const RunView& view) {
  Judgement judgement;
  ResultsJudge judge(evidence, view, judgement);
  for (const ModelTurn& turn : view.turns) judge.judge(turn);
  judge_calls(view, judgement);
  judge_endpoints(view, judgement);
  if (judge.labeled() + judge.sentences() > 0) {
    judgement.seen(std::to_string(judge.labeled()) + " results reached the model labeled with the run's nonce, " +
                   std::to_string(judge.sentences()) + " as a sentence of the host");
  }
  return judgement.finding(view.turns.empty() ? "no model was asked in this run"
                                              : "no result reached the model in this run");
}

}  // namespace postern::lab
