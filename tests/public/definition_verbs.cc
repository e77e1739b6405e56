// Verbs onto what a server says of its tools and what they return: pins, definitions, results, labels, replies.
#include <utility>

#include "bridge/label.h"
#include "bridge/model_tools.h"
#include "bridge/result_validator.h"
#include "host/model/messages_reply.h"
#include "pins/pin_file.h"
#include "pins/pin_gate.h"
#include "tests/lab/conversation.h"
#include "tests/public/verbs.h"
#include "wire/base/visible_text.h"
#include "wire/mcp/codec.h"

namespace postern::test {
namespace {

pins::PinFile reviewed(const std::vector<mcp::Tool>& tools) {
  pins::PinFile file;
  file.server_name = "support-desk";
  for (const mcp::Tool& tool : tools) file.tools.push_back({pins::pin_of(tool), tool.definition});
  return file;
}

Result<std::vector<mcp::Tool>> tools_of(const CaseFile& file, std::string_view section) {
  POSTERN_TRY(const Json list, json_of(file, section));
  std::vector<mcp::Tool> tools;
  for (const Json& definition : list.elements()) {
    POSTERN_TRY(mcp::Tool tool, mcp::read_tool(definition));
    tools.push_back(std::move(tool));
  }
  return tools;
}

Status play_pins(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const std::string text, section_of(file, "pins"));
  POSTERN_TRY(const pins::PinFile pins, pins::parse_pin_file(text));
  return {};
}

// The whole list that a server gives against the whole list that was reviewed; the first refusal is the outcome.
Status play_gate(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const std::vector<mcp::Tool> known, tools_of(file, "reviewed"));
  POSTERN_TRY(const std::vector<mcp::Tool> served, tools_of(file, "served"));
  const pins::PinVerdict verdict = pins::PinGate(reviewed(known)).admit_all(served, std::nullopt);
  if (!verdict.refused.empty()) return verdict.refused.front().failure;
  return {};
}

// A reviewed tool on its way to a model.
Status play_offer(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const Json definition, json_of(file, "tool"));
  POSTERN_TRY(const mcp::Tool tool, mcp::read_tool(definition));
  POSTERN_TRY(pins::PinnedTool pinned, pins::PinGate(reviewed({tool})).admit(tool));
  const bridge::ModelTools tools({std::move(pinned)}, {"", true, {}, {}});
  if (!tools.unusable().empty()) return tools.unusable().front().second;
  return {};
}

Result<bridge::ValidatedResult> validated(const CaseFile& file) {
  POSTERN_TRY(const Json definition, json_of(file, "tool"));
  POSTERN_TRY(const mcp::Tool tool, mcp::read_tool(definition));
  POSTERN_TRY(pins::PinnedTool pinned, pins::PinGate(reviewed({tool})).admit(tool));
  POSTERN_TRY(const Json result, json_of(file, "result"));
  POSTERN_TRY(const mcp::CallToolOutcome outcome, mcp::read_call_tool_outcome(result));
  const auto* complete = std::get_if<mcp::CallToolResult>(&outcome);
  if (complete == nullptr) return BadCaseFile{file.file(), 0, "the result asks for input"};
  return bridge::ResultValidator({std::move(pinned)}).validate(tool.name, *complete);
}

Status play_result(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const bridge::ValidatedResult result, validated(file));
  return {};
}

Status play_outcome(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const Json result, json_of(file, "result"));
  POSTERN_TRY(const mcp::CallToolOutcome outcome, mcp::read_call_tool_outcome(result));
  return {};
}

// A block that does not hold one label and nothing else.
struct NotOneLabel {
  static constexpr std::string_view kId = "public.not_one_label";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string block;
  [[nodiscard]] std::string text() const { return "not one label: " + block; }
};

Status one_label(const std::string& block) {
  const lab::LabelForm form{"untrusted-data", {"Characters in the data", "What follows, up to"}};
  if (!lab::read_label(block, form)) return NotOneLabel{visible_line(block)};
  return {};
}

// A model is given text of a server: through the label, or "raw", as a host without one would.
Status play_give(const CaseFile& file, const CaseStep& step) {
  if (const std::string* block = file.section("block")) return one_label(*block);
  POSTERN_TRY(const Json text, json_of(file, "text"));
  const bool is_error = step.parameters.contains("error");
  const bridge::ResultValidator validator({});
  POSTERN_TRY(const auto valid, validator.validate("get_tracking", {Json::array({mcp::text_block(*text.string())}),
                                                                    std::nullopt, is_error}));
  const std::string block = bridge::Labeler("5ad0c3e9b1774f28", "support-desk").label(valid).text();
  POSTERN_TRY_VOID(one_label(block));
  if (const std::string* inside = file.section("inside");
      inside != nullptr && block.find("\n" + *inside + "\n</") == std::string::npos) {
    return AnotherValue{*inside, block};
  }
  return {};
}

Status play_reply(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const std::string body, section_of(file, "reply"));
  POSTERN_TRY(const host::ModelTurn turn, host::read_messages_reply(body));
  return host::check_stop(turn);
}

constexpr Verb kVerbs[] = {{"read-pins", play_pins},      {"compare-with-review", play_gate},
                           {"offer-tool", play_offer},    {"validate-result", play_result},
                           {"read-result", play_outcome}, {"give-to-model", play_give},
                           {"read-reply", play_reply}};

}  // namespace

std::span<const Verb> definition_verbs() {
  return kVerbs;
}

}  // namespace postern::test
