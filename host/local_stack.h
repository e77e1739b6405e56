// The local stack of the profile `local`: issuer, payments, approvals, desk and, without a model key, the model double,
// as child processes on loopback ports, with a freshly seeded world in the run's own folder.
//
// This process binds every socket first, so that each child can be told the addresses of the others, and hands them
// down. Keys are made here, go to the children on their stdin, and are kept with the ports in world/keys.json (0600)
// for as long as the run can be resumed. The children end with this process (their stdin is their lifeline), unless
// stay_until() said otherwise.
//
// Owns its children. One thread.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/base/secret.h"
#include "wire/env/env.h"

namespace postern::host {

class HeadlessUserAgent;
// What allows a sign-in without a browser at the training issuer of this run, and nowhere else.
struct HeadlessSecretTag {
  using RevealedBy = Reveals<HeadlessUserAgent>;
};
using HeadlessSecret = Secret<HeadlessSecretTag>;

struct LocalStackOptions {
  std::string program_folder;  // where postern-issuer and the others stand
  std::string world_folder;
  std::string model_script;  // "honest"; empty: no model double
  bool model_only = false;   // nothing but the double: the desk is somebody else's
};

class LocalStack {
 public:
  // How long a request for approval stays open in this world.
  static constexpr Seconds kRequestLifetime{15 * 60};

  // A new world, or the one whose keys.json stands in the folder: then the same ports, keys and databases (its old
  // processes must have been ended: stop_recorded_stack()). Failures: own.stack_failed, transport.address_in_use,
  // own.file_failed, transport.spawn_failed.
  [[nodiscard]] static Result<std::unique_ptr<LocalStack>> start(Env env, const LocalStackOptions& options,
                                                                 std::stop_token stop);
  ~LocalStack();
  LocalStack(const LocalStack&) = delete;
  LocalStack& operator=(const LocalStack&) = delete;

  [[nodiscard]] std::string issuer() const;
  [[nodiscard]] std::string server() const;  // the MCP endpoint, which is its resource identifier too
  [[nodiscard]] std::string page_origin() const;
  [[nodiscard]] std::string model_url() const;  // of the double
  [[nodiscard]] HeadlessSecret headless_secret() const;
  // Ports, and the processes with the times they started, for run.json.
  [[nodiscard]] Json record() const;

  // The children live on without this process until then.
  void stay_until(WallTime time);
  // Ends the children. Called by the destructor unless stay_until() was.
  void stop();
  // The world cannot be resumed any more: its keys go.
  void forget_keys();

 private:
  struct Impl;
  explicit LocalStack(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Ends the processes that a record() names, if they are still the same ones.
void stop_recorded_stack(const Json& record);
// The folder of the running program.
[[nodiscard]] std::string own_program_folder();

struct StackFailed {
  static constexpr std::string_view kId = "own.stack_failed";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  std::string program;
  std::string reason;
  std::string log;  // where its own words are
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::host
