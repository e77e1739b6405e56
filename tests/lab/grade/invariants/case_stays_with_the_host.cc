// I1: the host opens the case; the model never chooses, sees or supplies a case, a customer, an order or an address.

#include <algorithm>
#include <array>

#include "tests/lab/grade/invariants/invariants.h"

namespace postern::lab {
namespace {

constexpr std::array<std::string_view, 17> kChoices = {
    "case_handle", "handle",  "case",  "case_id", "ticket", "ticket_id", "customer",    "customer_id", "order",
    "order_id",    "address", "email", "url",     "uri",    "link",      "tracking_id", "person"};

bool is_choice(std::string_view name) {
  return std::find(kChoices.begin(), kChoices.end(), name) != kChoices.end();
}

// The first property of that kind in a schema, at whatever depth; empty when there is none.
std::string choice_in(const Json& schema, const std::string& path) {
  if (const Json* properties = schema.find("properties")) {
    for (const auto& [name, property] : properties->members()) {
      if (is_choice(name)) return path + ".properties." + name;
    }
  }
  for (const auto& [name, member] : schema.members()) {
    std::string found = choice_in(member, path + "." + name);
    if (!found.empty()) return found;
  }
  std::size_t index = 0;
  for (const Json& element : schema.elements()) {
    std::string found = choice_in(element, path + "[" + std::to_string(index++) + "]");
    if (!found.empty()) return found;
  }
  return "";
}

void judge_offer(const ModelTurn& turn, Judgement& judgement) {
  const Json* tools = turn.body.find("tools");
  if (tools == nullptr) return;
  for (std::size_t i = 0; i < tools->elements().size(); ++i) {
    const Json& tool = tools->elements()[i];
    const std::string place = "body.tools[" + std::to_string(i) + "]";
    const std::string name(tool.string_at("name"));
    if (!is_desk_tool(name)) continue;
    if (name == "open_case") judgement.broken(*turn.request, place + ".name", "open_case is offered to the model");
    const Json* schema = tool.find("input_schema");
    const std::string choice = schema == nullptr ? "" : choice_in(*schema, place + ".input_schema");
    if (!choice.empty()) judgement.broken(*turn.request, choice, "the model may choose it in " + name);
  }
}

void judge_words(const ModelTurn& turn, const std::set<std::string>& handles, Judgement& judgement) {
  for_each_text(turn.body, "body", [&](const std::string& path, const std::string& text) {
    for (const std::string& mark : marks_in(text)) {
      if (handles.count(mark) != 0) judgement.broken(*turn.request, path, "the model was told the case handle");
    }
    if (text.find("case_handle") != text.npos && text.find("ch_") != text.npos) {
      judgement.broken(*turn.request, path, "the model was told a case handle in clear");
    }
  });
}

}  // namespace

Finding case_stays_with_the_host(const Evidence& evidence, const RunView& view) {
  Judgement judgement;
  std::set<std::string> handles;  // of all legs: what a model is told is searched for each of them
  std::set<std::string> opened;   // of the leg that is looked at
  std::size_t leg = 0;
  std::size_t calls = 0;
  for (const ServerCall* call : view.desk_calls()) {
    if (call->method != "tools/call") continue;
    if (call->leg != leg) opened.clear();
    leg = call->leg;
    const Json arguments = call->arguments();
    if (call->tool == "open_case") {
      const std::string_view ticket = arguments.string_at("ticket_id");
      if (!evidence.ticket.empty() && !ticket.empty() && ticket != evidence.ticket) {
        judgement.broken(*call->request, "body.params.arguments.ticket_id", "another ticket than the run's was opened");
      }
      const std::string handle = mark_in(call->structured().string_at("case_handle"));
      if (handle.empty()) continue;
      handles.insert(handle);
      opened.insert(handle);
      continue;
    }
    ++calls;
    for (const auto& [name, value] : arguments.members()) {
      const std::string place = "body.params.arguments." + name;
      if (name != "case_handle") {
        if (is_choice(name)) judgement.broken(*call->request, place, "an argument that chooses a case or an address");
      } else if (const std::string* text = value.string(); text == nullptr || opened.count(mark_in(*text)) == 0) {
        judgement.broken(*call->request, place, "not the handle of the case that the host opened");
      }
    }
    if (!arguments.has("case_handle"))
      judgement.broken(*call->request, "body.params.arguments", "the host's case handle is not in it");
  }
  for (const ModelTurn& turn : view.turns) {
    judge_offer(turn, judgement);
    judge_words(turn, handles, judgement);
  }
  if (!handles.empty() && !view.turns.empty()) {
    judgement.seen("the host opened the case, " + std::to_string(calls) + " calls carried its handle, and none of " +
                   std::to_string(view.turns.size()) + " requests to the model offers or tells a case");
  }
  return judgement.finding(handles.empty() ? "no case was opened in this run" : "no model was asked in this run");
}

}  // namespace postern::lab
