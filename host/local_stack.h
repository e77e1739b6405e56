// The local stack of the profile `local`: issuer, payments, approvals, desk and, without a model key, the model double,
// as child processes on loopback ports, with a freshly seeded world in the run's own folder.
//
// This process binds every socket first, so that each child can be told the addresses of the others, and hands them
// down. Keys are made here, go to the children on their stdin, and are kept with the ports in world/keys.json (0600)
// for as long as the run can be resumed. The children end with this process (their stdin is their lifeline), unless
// stay_until() said otherwise.
//
// An interface, because a laboratory has the same servers in one process. Owns its children. One thread.
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

  // Ends the children, unless stay_until() was called.
  virtual ~LocalStack() = default;

  [[nodiscard]] virtual std::string issuer() const = 0;
  [[nodiscard]] virtual std::string server() const = 0;  // the MCP endpoint, which is its resource identifier too
  [[nodiscard]] virtual std::string page_origin() const = 0;
  [[nodiscard]] virtual std::string model_url() const = 0;  // of the double
  [[nodiscard]] virtual HeadlessSecret headless_secret() const = 0;
  // Ports, and the processes with the times they started, for run.json.
  [[nodiscard]] virtual Json record() const = 0;

  // The children live on without this process until then.
  virtual void stay_until(WallTime time) = 0;
  // The world cannot be resumed any more: its keys go.
  virtual void forget_keys() = 0;
};

// A new world, or the one whose keys.json stands in the folder: then the same ports, keys and databases (its old
// processes must have been ended: stop_recorded_stack()). Failures: own.stack_failed, transport.address_in_use,
// own.file_failed, transport.spawn_failed.
[[nodiscard]] Result<std::unique_ptr<LocalStack>> start_local_stack(Env env, const LocalStackOptions& options,
                                                                    std::stop_token stop);

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
