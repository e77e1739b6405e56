// Runs of the host in a world: the product's own command, from its command line to its exit code.
//
// The run has the world's clock, randomness and network, terminal streams of its own that are read back, and a stack
// whose servers are the world's. One thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/local_world.h"
#include "tests/lab/model_double.h"
#include "tests/lab/world/in_process_network.h"
#include "tests/lab/world/lab_world.h"
#include "wire/base/random_source.h"

namespace postern::lab {

// The model double of one run, and what it was told.
class ToldModel {
 public:
  // lab.script_broken and the like: see embedded_script().
  [[nodiscard]] static Result<std::unique_ptr<ToldModel>> make(Env env, std::string_view script);
  ToldModel(const ToldModel&) = delete;
  ToldModel& operator=(const ToldModel&) = delete;
  // This object must outlive them.
  [[nodiscard]] Routes routes();
  [[nodiscard]] const std::vector<Json>& told() const { return told_; }

 private:
  ToldModel(Env env, ModelScript script) : model_(env, std::move(script), std::nullopt) {}
  ModelDouble model_;
  std::vector<Json> told_;
};

// All that a run is made of. References outlive it.
struct HostRunParts {
  LabClock& clock;
  RandomSource& random;
  InProcessNetwork& network;
  const host::LocalWorld& world;
  const LabWorldOptions& options;
};

class HostRuns {
 public:
  explicit HostRuns(HostRunParts parts) : parts_(parts) {}
  HostRuns(const HostRuns&) = delete;
  HostRuns& operator=(const HostRuns&) = delete;

  // own.file_failed and failures of the model's script; whatever the host meets is its own result.
  [[nodiscard]] Result<HostRunResult> run(const HostRunOptions& options);
  // What the runs printed, and what the models were told: "host-1/stdout", "host-1/stderr", "host-1/model".
  [[nodiscard]] const std::map<std::string, std::string>& outputs() const { return outputs_; }

 private:
  HostRunParts parts_;
  NoTap tap_;
  int runs_ = 0;
  std::vector<std::unique_ptr<ToldModel>> models_;  // one a run; the newest is on the network
  std::map<std::string, std::string> outputs_;
};

}  // namespace postern::lab
