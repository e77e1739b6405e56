// Multi round-trip requests (MCP 2026-07-28 basic/patterns/mrtr): the server keeps nothing between two rounds, so each
// handler looks at what came, and asks for what it still needs.
#include <utility>

#include "tests/conformance/server/fixtures.h"
#include "tests/conformance/server/tools.h"
#include "wire/mcp/codec.h"

namespace postern::conformance {
namespace {

using States = std::shared_ptr<const mcp::SealedStates>;

Outcome ask(std::vector<mcp::InputRequest> requests, std::optional<std::string> state = std::nullopt) {
  return mcp::CallToolOutcome(mcp::InputRequiredResult{std::move(requests), std::move(state)});
}

mcp::StateBinding binding_of(const mcp::ToolCall& call) {
  return {"steps", call.principal.key(), "tools/call", call.params.name, mcp::digest_of_arguments(call.arguments)};
}

std::string state(const mcp::ToolCall& call, const mcp::SealedStates& states, std::string_view step) {
  return states.seal(Json::object({{"step", step}}), binding_of(call));
}

// The step of the state that came; empty without one. A state that is not ours is an error of the request, and no
// question is asked again for it.
Result<std::string> step_of(const mcp::ToolCall& call, const mcp::SealedStates& states) {
  if (!call.params.request_state) return std::string();
  POSTERN_TRY(const Json payload, states.open(*call.params.request_state, binding_of(call)));
  return std::string(payload.string_at("step"));
}

const Json* answer(const mcp::ToolCall& call, std::string_view key) {
  return response(call.params.input_responses, key);
}

Outcome elicitation(const mcp::ToolCall& call) {
  if (const std::string* name = accepted_string(answer(call, "user_name"), "name"))
    return text_result("Hello, " + *name + "!");
  return ask({form("user_name", "What is your name?", "name", "string")});
}

Outcome sample(const mcp::ToolCall& call) {
  const Json* given = answer(call, "capital_question");
  const Json* content = given == nullptr ? nullptr : given->find("content");
  if (content != nullptr) return text_result(content->string_at("text"));
  return ask({sampling("capital_question", "What is the capital of France?")});
}

Outcome list_roots(const mcp::ToolCall& call) {
  const Json* given = answer(call, "client_roots");
  const Json* listed = given == nullptr ? nullptr : given->find("roots");
  if (listed == nullptr || !listed->is_array()) return ask({roots("client_roots")});
  std::string uris = "Roots:";
  for (const Json& root : listed->elements()) uris += " " + std::string(root.string_at("uri"));
  return text_result(uris);
}

Outcome confirm(const mcp::ToolCall& call, const mcp::SealedStates& states) {
  POSTERN_TRY(const std::string step, step_of(call, states));
  if (step == "confirm" && accepted(answer(call, "confirm")) != nullptr) return text_result("state-ok");
  return ask({form("confirm", "Please confirm.", "ok", "boolean")}, state(call, states, "confirm"));
}

Outcome three_at_once(const mcp::ToolCall& call, const mcp::SealedStates& states) {
  POSTERN_TRY(const std::string step, step_of(call, states));
  const bool all =
      accepted(answer(call, "user_name")) != nullptr && answer(call, "greeting") && answer(call, "client_roots");
  if (step == "all" && all) return text_result("All three came.");
  return ask({form("user_name", "What is your name?", "name", "string"),
              sampling("greeting", "Write a short greeting."), roots("client_roots")},
             state(call, states, "all"));
}

Outcome two_rounds(const mcp::ToolCall& call, const mcp::SealedStates& states) {
  POSTERN_TRY(const std::string step, step_of(call, states));
  if (step == "second" && accepted(answer(call, "step2")) != nullptr) return text_result("Both rounds are done.");
  const bool first_is_done = step == "second" || (step == "first" && accepted(answer(call, "step1")) != nullptr);
  if (first_is_done)
    return ask({form("step2", "Step 2: what is your favorite color?", "color", "string")},
               state(call, states, "second"));
  return ask({form("step1", "Step 1: what is your name?", "name", "string")}, state(call, states, "first"));
}

Outcome only_what_is_declared(const mcp::ToolCall& call) {
  if (!call.params.input_responses.empty()) return text_result("Answered.");
  std::vector<mcp::InputRequest> requests;
  if (call.meta.client_capabilities.has("sampling")) requests.push_back(sampling("thought", "Say something."));
  if (call.meta.client_capabilities.has("elicitation"))
    requests.push_back(form("word", "Say something.", "word", "string"));
  if (requests.empty()) return text_result("There is nothing that this client could be asked.");
  return ask(std::move(requests));
}

}  // namespace

std::vector<mcp::ToolRow> input_tools(const States& states) {
  const auto with = [&states](Outcome (*handler)(const mcp::ToolCall&, const mcp::SealedStates&)) {
    return [states, handler](const mcp::ToolCall& call) { return handler(call, *states); };
  };
  return {
      tool("test_input_required_result_elicitation", "Asks for a name", kNoArguments, elicitation),
      tool("test_input_required_result_sampling", "Asks the client's model", kNoArguments, sample),
      tool("test_input_required_result_list_roots", "Asks for the client's roots", kNoArguments, list_roots),
      tool("test_input_required_result_request_state", "Asks, and hands out a state", kNoArguments, with(confirm)),
      tool("test_input_required_result_tampered_state", "Refuses a state that was changed", kNoArguments,
           with(confirm)),
      tool("test_input_required_result_multiple_inputs", "Asks three things at once", kNoArguments,
           with(three_at_once)),
      tool("test_input_required_result_multi_round", "Asks in two rounds", kNoArguments, with(two_rounds)),
      tool("test_input_required_result_capabilities", "Asks only for what the client declares", kNoArguments,
           only_what_is_declared),
  };
}

}  // namespace postern::conformance
