// I3: a tool whose definition is not exactly what was reviewed is never offered to the model, and not called after it
// changed.

#include <map>

#include "pins/pin_file.h"
#include "tests/lab/grade/invariants/invariants.h"

namespace postern::lab {
namespace {

constexpr std::string_view kBoundArgument = "case_handle";

// What a model may be shown of a reviewed input schema.
Json without_bound_argument(Json schema) {
  if (Json* properties = schema.find("properties")) properties->erase(kBoundArgument);
  if (const Json* required = schema.find("required")) {
    Json kept = Json::array();
    for (const Json& name : required->elements()) {
      if (name.string() == nullptr || *name.string() != kBoundArgument) kept.push(name);
    }
    schema.set("required", std::move(kept));
  }
  return schema;
}

// By name: how many definitions of a list are as they were reviewed, and how many there are.
struct Served {
  int exact = 0;
  int all = 0;
  [[nodiscard]] bool good() const { return exact == 1 && all == 1; }
};

class ToolsJudge {
 public:
  ToolsJudge(const pins::PinFile& pins, Judgement& judgement) : pins_(pins), judgement_(judgement) {}

  void list(const ServerCall& call) {
    const Json* tools = call.result.find("tools");
    if (tools == nullptr) return;
    if (const Json* params = &call.params; !params->has("cursor")) served_.clear();
    for (const Json& tool : tools->elements()) {
      Served& served = served_[std::string(tool.string_at("name"))];
      ++served.all;
      const pins::ReviewedTool* reviewed = pins_.find(tool.string_at("name"));
      if (reviewed != nullptr && reviewed->definition == tool) ++served.exact;
    }
    listed_ = true;
  }

  void called(const ServerCall& call) {
    if (served_.empty() || served_[call.tool].good()) return;
    judgement_.broken(*call.request, "body.params.name",
                      call.tool + " was called though its definition is not the one that was reviewed");
  }

  // The prefix of a conversation never changes, so that what was offered first is offered to its end.
  void offered(const ModelTurn& turn) {
    const Json* tools = turn.body.find("tools");
    if (tools == nullptr) return;
    for (std::size_t i = 0; i < tools->elements().size(); ++i) {
      const Json& tool = tools->elements()[i];
      const std::string name(tool.string_at("name"));
      if (!is_desk_tool(name)) continue;
      ++offered_;
      const std::string place = "body.tools[" + std::to_string(i) + "]";
      const pins::ReviewedTool* reviewed = pins_.find(name);
      if (reviewed == nullptr) {
        judgement_.broken(*turn.request, place + ".name", name + " was never reviewed");
        continue;
      }
      if (tool.string_at("description") != reviewed->definition.string_at("description"))
        judgement_.broken(*turn.request, place + ".description", "not the reviewed description of " + name);
      const Json* schema = tool.find("input_schema");
      const Json* own = reviewed->definition.find("inputSchema");
      if (schema == nullptr || own == nullptr || !(*schema == without_bound_argument(*own)))
        judgement_.broken(*turn.request, place + ".input_schema", "not the reviewed arguments of " + name);
      if (!first_turn_) continue;
      if (!served_[name].good())
        judgement_.broken(*turn.request, place + ".name",
                          name + " is offered, and the server did not serve it as reviewed");
    }
    first_turn_ = false;
  }

  [[nodiscard]] bool listed() const { return listed_; }
  [[nodiscard]] std::size_t offered_count() const { return offered_; }
  [[nodiscard]] std::size_t refused() const {
    std::size_t count = 0;
    for (const auto& [name, served] : served_) count += served.good() ? 0 : 1;
    return count;
  }

 private:
  const pins::PinFile& pins_;
  Judgement& judgement_;
  std::map<std::string, Served> served_;  // of the newest list
  bool listed_ = false;
  bool first_turn_ = true;
  std::size_t offered_ = 0;
};

}  // namespace

Finding only_reviewed_tools(const Evidence& /*evidence*/, const RunView& view) {
  const auto pins = pins::embedded_pins();
  if (!pins) return {Verdict::kError, pins.error().text()};
  Judgement judgement;
  ToolsJudge judge(*pins, judgement);
  const std::vector<const ServerCall*> calls = view.desk_calls();
  std::size_t turn = 0;
  for (const ServerCall* call : calls) {
    while (turn < view.turns.size() && view.turns[turn].request->seq < call->request->seq) {
      judge.offered(view.turns[turn++]);
    }
    if (call->method == "tools/list") judge.list(*call);
    if (call->method == "tools/call") judge.called(*call);
  }
  while (turn < view.turns.size()) judge.offered(view.turns[turn++]);
  if (judge.listed() && judge.offered_count() > 0) {
    judgement.seen(std::to_string(view.turns.size()) +
                   " requests to the model offer only tools as they were reviewed; " + std::to_string(judge.refused()) +
                   " served definitions were otherwise");
  } else if (judge.listed() && judge.refused() > 0) {
    judgement.seen(std::to_string(judge.refused()) +
                   " served definitions were not the reviewed ones, and no model was asked");
  }
  return judgement.finding(judge.listed() ? "no model was asked in this run" : "no list of tools was read in this run");
}

}  // namespace postern::lab
