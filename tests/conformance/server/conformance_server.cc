#include "tests/conformance/server/conformance_server.h"

#include <iterator>
#include <utility>

#include "tests/conformance/server/fixtures.h"
#include "tests/conformance/server/prompts_and_resources.h"
#include "tests/conformance/server/tools.h"

namespace postern::conformance {
namespace {

void append(std::vector<mcp::ToolRow>& rows, std::vector<mcp::ToolRow> more) {
  rows.insert(rows.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

mcp::SkillRow demo_skill() {
  mcp::SkillRow skill;
  skill.uri = "skill://demo-skill/SKILL.md";
  skill.name = "demo-skill";
  skill.description = "A demo skill";
  skill.skill_md = "---\nname: demo-skill\ndescription: A demo skill\n---\n\n# Demo\n";
  skill.files = {{"skill://demo-skill/references/FORMS.md", "text/markdown", "forms\n"}};
  return skill;
}

}  // namespace

ConformanceServer::ConformanceServer(Env env, std::vector<std::string> older_versions)
    : older_versions_(std::move(older_versions)),
      states_(std::make_shared<mcp::SealedStates>(env, mcp::KeyRing::in_memory(env), Seconds{600})),
      tasks_(mcp::Tasks::make(env)) {}

Result<std::unique_ptr<ConformanceServer>> ConformanceServer::make(Env env, std::vector<std::string> older_versions) {
  std::unique_ptr<ConformanceServer> made(new ConformanceServer(env, std::move(older_versions)));
  POSTERN_TRY(made->skills_, mcp::Skills::make({demo_skill()}));
  POSTERN_TRY(made->server_, mcp::Server::make(env, made->features(false, false)));
  return made;
}

mcp::ServerFeatures ConformanceServer::features(bool extra_tool, bool extra_prompt) {
  mcp::ServerFeatures features;
  features.server_info = {"postern-conformance-server", "1.0.0"};
  features.tools = content_tools();
  append(features.tools, input_tools(states_));
  append(features.tools, task_tools());
  features.tools.push_back(tool("test_trigger_tool_change", "Changes the list of tools", kNoArguments,
                                [this](const mcp::ToolCall&) -> Outcome {
                                  POSTERN_TRY_VOID(change_tools());
                                  return text_result("The tools are others.");
                                }));
  features.tools.push_back(tool("test_trigger_prompt_change", "Changes the list of prompts", kNoArguments,
                                [this](const mcp::ToolCall&) -> Outcome {
                                  POSTERN_TRY_VOID(change_prompts());
                                  return text_result("The prompts are others.");
                                }));
  if (extra_tool) {
    features.tools.push_back(tool("test_dynamic_tool", "Comes and goes", kNoArguments,
                                  [](const mcp::ToolCall&) { return text_result("Here."); }));
  }
  features.prompts = prompts();
  if (extra_prompt) features.prompts.push_back(dynamic_prompt());
  features.resources = resources();
  features.resource_templates = resource_templates();
  features.lists_change = true;
  features.logging = true;
  features.list_ttl_ms = 0;  // they change
  features.extensions = {tasks_->extension(), skills_};
  features.task_starter = tasks_->starter();
  features.older_versions = older_versions_;
  return features;
}

Status ConformanceServer::change_tools() {
  const MutexLock lock(mutex_);
  extra_tool_ = !extra_tool_;
  return server_->update(features(extra_tool_, extra_prompt_));
}

Status ConformanceServer::change_prompts() {
  const MutexLock lock(mutex_);
  extra_prompt_ = !extra_prompt_;
  return server_->update(features(extra_tool_, extra_prompt_));
}

}  // namespace postern::conformance
