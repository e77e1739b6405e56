// Calls that may go on as tasks (extension io.modelcontextprotocol/tasks). A handler is the same with and without a
// task: it waits, fails, or asks for input.
#include <algorithm>
#include <utility>

#include "tests/conformance/server/fixtures.h"
#include "tests/conformance/server/tools.h"

namespace postern::conformance {
namespace {

constexpr std::string_view kName = R"({"type":"object","properties":{"name":{"type":"string"}}})";
constexpr std::string_view kSecondsAndLabel =
    R"({"type":"object","properties":{"seconds":{"type":"number"},"label":{"type":"string"}}})";
constexpr std::string_view kFilename = R"({"type":"object","properties":{"filename":{"type":"string"}}})";
constexpr std::string_view kTasksDeclared = R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})";

// A row that goes on as a task for every client that declares the extension.
mcp::ToolRow task(mcp::ToolRow row) {
  row.lane = mcp::Lane::kBlocking;
  row.as_task = [](const mcp::ToolCall&) { return true; };
  return row;
}

Outcome compute(const mcp::ToolCall& call) {
  constexpr double kSecondsMax = 3600;
  const Json* seconds = call.arguments.find("seconds");
  const double asked = seconds == nullptr ? 1 : seconds->number().value_or(1);
  const double bounded = std::min(std::max(asked, 0.0), kSecondsMax);
  wait(call.stop, std::chrono::milliseconds(static_cast<std::int64_t>(bounded * 1000)));
  return text_result("computed " + std::string(call.arguments.string_at("label")));
}

Outcome fail_as_a_tool(const mcp::ToolCall& call) {
  wait(call.stop, std::chrono::milliseconds(1000));
  return text_result("The job failed.", true);
}

// Asks for what has not been accepted yet; nothing when all has.
Outcome ask_for_the_rest(const mcp::ToolCall& call, std::vector<mcp::InputRequest> requests, std::string_view done) {
  const auto is_answered = [&call](const mcp::InputRequest& request) {
    return response(call.params.input_responses, request.key) != nullptr;
  };
  requests.erase(std::remove_if(requests.begin(), requests.end(), is_answered), requests.end());
  if (requests.empty()) return text_result(done);
  return mcp::CallToolOutcome(mcp::InputRequiredResult{std::move(requests), std::nullopt});
}

Outcome confirm_delete(const mcp::ToolCall& call) {
  const std::string question = "Delete " + std::string(call.arguments.string_at("filename")) + "?";
  return ask_for_the_rest(call, {form("confirmation", question, "confirm", "boolean")}, "deleted");
}

Outcome ask_two(const mcp::ToolCall& call) {
  return ask_for_the_rest(
      call, {form("name", "Which name?", "name", "string"), form("confirmation", "Sure?", "confirm", "boolean")},
      "Both came.");
}

const std::string* name_given(const mcp::ToolCall& call) {
  return accepted_string(response(call.params.input_responses, "user_name"), "name");
}

Outcome greet_by_task(const mcp::ToolCall& call) {
  const std::string* name = name_given(call);
  if (name == nullptr) {
    return mcp::CallToolOutcome(
        mcp::InputRequiredResult{{form("user_name", "What is your name?", "name", "string")}, std::nullopt});
  }
  wait(call.stop, std::chrono::milliseconds(200));
  return text_result("Hello, " + *name + "!");
}

}  // namespace

std::vector<mcp::ToolRow> task_tools() {
  mcp::ToolRow failing_job =
      task(tool("failing_job", "Needs a task, and fails as a tool does", kNoArguments, fail_as_a_tool));
  failing_job.client_capabilities = json_of(kTasksDeclared);
  mcp::ToolRow after_a_round =
      task(tool("test_tool_with_task", "Asks for a name, then goes on as a task", kNoArguments, greet_by_task));
  after_a_round.as_task = [](const mcp::ToolCall& call) { return name_given(call) != nullptr; };
  return {
      tool("greet", "Greets at once", kName,
           [](const mcp::ToolCall& call) {
             return text_result("Hello, " + std::string(call.arguments.string_at("name")) + "!");
           }),
      task(tool("slow_compute", "Takes as long as it is told", kSecondsAndLabel, compute)),
      std::move(failing_job),
      task(tool("protocol_error_job", "Breaks", kNoArguments,
                [](const mcp::ToolCall&) -> Outcome { return FixtureBroken{}; })),
      task(tool("confirm_delete", "Asks before it deletes nothing", kFilename, confirm_delete)),
      task(tool("multi_input", "Asks two things at once", kNoArguments, ask_two)),
      std::move(after_a_round),
  };
}

}  // namespace postern::conformance
