// A whole world in one process: issuer, desk, approvals, payments and the model double, each composed as its own
// program composes it, reached through memory instead of sockets, with a clock that stands still, randomness of a seed,
// and the databases in one folder.
//
// Everything that runs in it runs on the thread that calls. The host runs in it too (host_run()): the command of the
// product, from its configuration to its exit code, with its own wire log. What differs between two worlds of one seed
// is nothing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/supervisor.h"
#include "tests/lab/world/control_set.h"
#include "tests/lab/world/decorators.h"
#include "tests/lab/world/lab_clock.h"
#include "wire/base/json.h"
#include "wire/base/random_source.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/transport/http_client.h"

namespace postern::host {
class LocalWorld;
}

namespace postern::lab {

struct LabWorldOptions {
  std::string folder;  // must exist; databases and runs go there
  std::string seed = "1";
  ControlSet controls;
  Decorators decorators;
  std::string model_script = "honest";
  // In place of the embedded texts: {"T-3090": {"page": "...", "ticket_text": "...", "ticket_subject": "...",
  // "customer_name": "...", "line_title": "..." (of the order's first line), "policy_text": "..."}}; null: none.
  Json planted;
};

struct HostRunOptions {
  std::string ticket = "T-1042";
  std::string resume;                  // a run id; then the ticket is not used
  std::string model_script;            // empty: the world's
  std::vector<std::string> arguments;  // of `postern run`: {"--wait", "30s"}
  // What the supervisor does once a link is shown, and after how long. None: nobody decides.
  std::optional<SupervisorOptions> supervisor;
  Seconds decides_after{5};
  // Called when the host has begun to wait for the nth time, before time goes on: to take a process down.
  std::function<void(int waits)> on_wait;
  // A Ctrl-C while the host waits for the nth time; 0: none. Comes behind on_wait, before time goes on.
  int stopped_at_wait = 0;
};

struct HostRunResult {
  int exit = 0;
  std::string out;                   // stdout, as printed
  std::string err;                   // stderr
  std::string run;                   // id; empty: none was begun
  std::string wire_file;             // path of its wire.jsonl
  std::string supervisor;            // what was pressed, "Sign in > Morgan Ellis > ..."; why not, when there was no way
  std::vector<Json> model_requests;  // bodies, in their order: what the model was told
};

class LabWorld {
 public:
  [[nodiscard]] static Result<std::unique_ptr<LabWorld>> make(LabWorldOptions options);
  ~LabWorld();
  LabWorld(const LabWorld&) = delete;
  LabWorld& operator=(const LabWorld&) = delete;

  [[nodiscard]] LabClock& clock();
  [[nodiscard]] Env env();
  // URLs that somebody in this world asked for and that nobody serves here: what would have left this machine.
  [[nodiscard]] std::vector<std::string> strangers() const;
  // Its ports, keys, secrets and launch documents.
  [[nodiscard]] const host::LocalWorld& local_world() const;
  // Addresses of the world: "issuer", "desk", "page", "approvals", "payments", "model". "http://127.0.0.1:PORT".
  [[nodiscard]] std::string origin(std::string_view name) const;
  [[nodiscard]] std::string server() const;  // the MCP endpoint
  // A client of somebody outside: reaches every origin of this world.
  [[nodiscard]] HttpClient& network();
  // Bytes on a connection to one of the servers, as they are: framed and checked as the product's own server does, and
  // the bytes of the answer.
  [[nodiscard]] Result<std::string> raw(std::string_view name, std::string_view bytes);
  // A program that is not there any more, or again, on the same databases: "desk", "payments", "approvals", "issuer".
  [[nodiscard]] Status stop_program(std::string_view name);
  [[nodiscard]] Status start_program(std::string_view name);

  // What an access token of this world's issuer would be, signed with its own key: for tokens that it would never issue
  // (expired, without exp). `claims` as they are to stand in it, but for members that are null: those are left out.
  // `header` is laid over {"alg": "ES256", "typ": "at+jwt", "kid": of the key}; a null member takes one away.
  [[nodiscard]] std::string sign_as_issuer(const Json& header, const Json& claims);
  // Every log, database and output of the world, by name: to be searched for what must not be there.
  [[nodiscard]] std::map<std::string, std::string> artefacts() const;

  [[nodiscard]] Result<HostRunResult> host_run(const HostRunOptions& options);

 private:
  struct Impl;
  explicit LabWorld(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace postern::lab
