// StdioTransport: MCP over the pipes of a child process (MCP 2026-07-28 basic/transports, "stdio").
//
// The program is started for the first request, with a fixed argv, without a shell, in a clean environment
// (wire/transport/child_process.h): no token, key or setting of ours is in it. Requests may be in flight side by side.
// An answer goes to the request whose id it carries, a notification to the one whose progressToken or subscriptionId it
// carries; an answer to a request that nobody waits for any longer is dropped. A request that is ended early is named
// in notifications/cancelled, unless its answer came first or not a byte of it was written; `initialize` never is.
//
// What the program prints on stdout that is no message is dropped: a message is a line of its own, and it is never
// guessed where one begins in a line of text. The wire log has each line; a request that then runs out of time says the
// last. What it writes to stderr is taken always, is no sign of an error, and its end is told when the program ends.
//
// When the program ends, every request in flight is bridge.server_exited, and none is sent again by itself. The next
// request starts the program anew, after a pause that grows, at most `restarts_max` times. The newest revision needs no
// hand-shake; an older one begins anew with `initialize`, so then nothing else starts the program again. generation()
// tells when what was open (a subscription) is gone with the process.
//
// Thread-safe. The Env must outlive it. The destructor ends the program; REQUIRES that no exchange is running.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bridge/failures.h"
#include "bridge/server_transport.h"
#include "bridge/signs_of_life.h"
#include "wire/base/mutex.h"
#include "wire/env/env.h"
#include "wire/transport/line_process.h"

namespace postern::bridge {

struct StdioTransportOptions {
  std::string name;     // ours: how the wire log calls the server
  std::string command;  // absolute path
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string working_folder;  // empty: this program's
  std::size_t line_bytes_max = 8 * 1024 * 1024;
  int restarts_max = 3;
  std::chrono::milliseconds pause_first{250};  // before the second restart; doubled for each after it
  std::chrono::milliseconds patience{2'000};   // at the end, for each step
};

class StdioTransport final : public ServerTransport {
 public:
  StdioTransport(Env env, StdioTransportOptions options);
  ~StdioTransport() override;
  StdioTransport(const StdioTransport&) = delete;
  StdioTransport& operator=(const StdioTransport&) = delete;

  // Also transport.spawn_failed.
  [[nodiscard]] Result<ServerAnswer> exchange(const OutgoingRequest& request, const std::stop_token& stop) override;
  // Queued, not waited for. bridge.server_exited when there is no process that could have been meant.
  [[nodiscard]] Status notify(const JsonRpcNotification& notification, SteadyTime deadline,
                              const std::stop_token& stop) override;
  void speak_older_era(std::string_view protocol_version) override;
  void leave_older_era(SteadyTime deadline) override;
  [[nodiscard]] const std::string& where() const override { return options_.command; }
  [[nodiscard]] bool mirrors_parameters() const override { return false; }

  // How often the program was started; another number is another process.
  [[nodiscard]] int generation() const POSTERN_EXCLUDES(mutex_);
  // Of the process that was started last; 0 before.
  [[nodiscard]] int process_id() const POSTERN_EXCLUDES(mutex_);

 private:
  // A request in flight. Its members are touched under the mutex only, but for the constant ones.
  struct Waiting {
    Waiting(std::int64_t number, const OutgoingRequest& outgoing);
    const RequestId id;
    const std::string method;
    const std::optional<Json> progress_token;
    int generation = 0;
    std::deque<JsonRpcNotification> notifications;
    std::optional<Result<ServerAnswer>> outcome;
  };
  using Process = std::shared_ptr<LineProcess>;

  // The running process, started when it must be, and may be, for `method`.
  Result<Process> running(std::string_view method, SteadyTime deadline, const std::stop_token& stop);
  Result<Process> start() POSTERN_REQUIRES(start_mutex_);
  Status pause(SteadyTime deadline, const std::stop_token& stop) POSTERN_REQUIRES(start_mutex_);
  Result<ServerAnswer> wait_for(const OutgoingRequest& request, const std::shared_ptr<Waiting>& waiting,
                                LineProcess& process, std::uint64_t line, const std::stop_token& stop);
  Result<ServerAnswer> end_early(Waiting& waiting, LineProcess& process, std::uint64_t line, Failure failure,
                                 std::string_view reason);
  void forget(const Waiting& waiting) POSTERN_REQUIRES(mutex_);

  // On the thread of the process.
  void take_line(LineProcess& process, int generation, const std::string& line) POSTERN_EXCLUDES(mutex_);
  void take_end(int generation, const LineProcessEnd& end) POSTERN_EXCLUDES(mutex_);
  void deliver(const RequestId& id, Result<ServerAnswer> outcome) POSTERN_REQUIRES(mutex_);
  void deliver_to_the_only_one(JsonRpcError error) POSTERN_REQUIRES(mutex_);
  void route(JsonRpcNotification notification) POSTERN_REQUIRES(mutex_);
  void answer(LineProcess& process, const JsonRpcRequest& request) const;
  [[nodiscard]] Failure exited(bool sent) const POSTERN_REQUIRES(mutex_);

  Env env_;
  const StdioTransportOptions options_;
  std::atomic<std::int64_t> next_id_{1};
  std::atomic<bool> older_era_{false};

  Mutex start_mutex_;  // before mutex_

  mutable Mutex mutex_;
  ConditionVariable changed_;
  std::vector<std::shared_ptr<Waiting>> waiting_ POSTERN_GUARDED_BY(mutex_);
  int generation_ POSTERN_GUARDED_BY(mutex_) = 0;
  int ended_generation_ POSTERN_GUARDED_BY(mutex_) = 0;
  std::string how_ POSTERN_GUARDED_BY(mutex_);      // the last one ended
  std::string printed_ POSTERN_GUARDED_BY(mutex_);  // the last line that was no message
  SteadyTime ended_at_ POSTERN_GUARDED_BY(mutex_){};
  Process process_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace postern::bridge
