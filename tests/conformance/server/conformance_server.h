// An MCP server on the product's core with the fixtures of the conformance suite: its tools, prompts, resources, and
// two lists that change when a tool is called. For tests: no desk, no people, no money.
//
// Thread-safe after make().
#pragma once

#include <memory>

#include "services/mcp/sealed_state.h"
#include "services/mcp/server.h"
#include "services/mcp_skills/skills.h"
#include "services/mcp_tasks/tasks.h"
#include "wire/base/mutex.h"
#include "wire/base/result.h"
#include "wire/env/env.h"

namespace postern::conformance {

class ConformanceServer {
 public:
  // `env` must outlive it. `older_versions` are named beside this revision; what speaks them stands beside the server.
  [[nodiscard]] static Result<std::unique_ptr<ConformanceServer>> make(Env env,
                                                                       std::vector<std::string> older_versions = {});
  ConformanceServer(const ConformanceServer&) = delete;
  ConformanceServer& operator=(const ConformanceServer&) = delete;

  [[nodiscard]] const mcp::Server& server() const { return *server_; }

 private:
  ConformanceServer(Env env, std::vector<std::string> older_versions);
  // The tables as they are to be.
  [[nodiscard]] mcp::ServerFeatures features(bool extra_tool, bool extra_prompt);
  // Adds or removes the tool or the prompt, and so tells whoever listens.
  Status change_tools() POSTERN_EXCLUDES(mutex_);
  Status change_prompts() POSTERN_EXCLUDES(mutex_);

  const std::vector<std::string> older_versions_;
  std::shared_ptr<const mcp::SealedStates> states_;
  std::shared_ptr<mcp::Skills> skills_;
  std::unique_ptr<mcp::Tasks> tasks_;
  Mutex mutex_;
  bool extra_tool_ POSTERN_GUARDED_BY(mutex_) = false;
  bool extra_prompt_ POSTERN_GUARDED_BY(mutex_) = false;
  std::unique_ptr<mcp::Server> server_;  // destroyed before what its tables use
};

}  // namespace postern::conformance
