// Carries the rounds of tasks out: a few threads of its own, and one that watches the time.
//
// Each round has its deadline from the moment when it may begin, waiting for a thread included. Past it the work is
// told to stop, as a plain call is: what it gives all the same counts, a failure counts as out of time. A parked task
// holds no thread; one whose handler gave a state without a question rests for a moment and runs again. Real work is
// stopped, so the deadlines are of the machine's own clock; what is kept in the store has the Env's.
//
// Of a store that other processes change too it looks at its tasks a few times a second: for answers that were given to
// another process, and for cancellation.
//
// Thread-safe. Destroying it stops all work and waits for the rounds that are running.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "services/mcp/extension.h"
#include "services/mcp_tasks/task_store.h"
#include "wire/base/clock.h"
#include "wire/base/mutex.h"
#include "wire/env/env.h"

namespace postern::mcp {

class TaskRunner {
 public:
  // `env` and `store` must outlive it. `keep` is of TaskOptions.
  TaskRunner(Env env, TaskStore& store, std::size_t workers, Milliseconds keep);
  ~TaskRunner();
  TaskRunner(const TaskRunner&) = delete;
  TaskRunner& operator=(const TaskRunner&) = delete;

  // The first round of a task that the store keeps.
  void begin(const std::string& id, TaskStart start) POSTERN_EXCLUDES(mutex_);
  // That round: what it needs is there. Nothing for a task that is not carried out here, or a round that began already.
  void go_on(const std::string& id, std::int64_t round) POSTERN_EXCLUDES(mutex_);
  // Stops what runs of it and forgets its work.
  void drop(const std::string& id) POSTERN_EXCLUDES(mutex_);

 private:
  enum class Phase {
    kQueued,  // waits for a thread
    kRunning,
    kStopped,  // runs, and was told to stop because its time is over
    kParked,   // waits for answers
    kResting
  };
  struct Entry {
    TaskStart task;
    std::int64_t round = 1;
    Phase phase = Phase::kQueued;
    SteadyTime due;           // when the phase is over
    std::stop_source source;  // of the round
  };
  // One look of a thread at an entry.
  struct Seen {
    std::string id;
    std::shared_ptr<const Entry> entry;
    std::int64_t round = 0;
    Phase phase = Phase::kQueued;
    std::stop_source source;
  };

  void work() POSTERN_EXCLUDES(mutex_);
  void watch() POSTERN_EXCLUDES(mutex_);
  [[nodiscard]] std::optional<Seen> next_in_queue() POSTERN_REQUIRES(mutex_);
  [[nodiscard]] std::vector<Seen> all_entries() POSTERN_REQUIRES(mutex_);
  // Those whose phase is over, as they were; what waited is no longer there, what runs is kStopped.
  [[nodiscard]] std::vector<Seen> take_late(SteadyTime now) POSTERN_REQUIRES(mutex_);
  void wait_for_change() POSTERN_REQUIRES(mutex_);
  void end_phase(const Seen& seen) POSTERN_EXCLUDES(mutex_);
  void look_at_store(const Seen& seen) POSTERN_EXCLUDES(mutex_);
  void run_round(const Seen& seen) POSTERN_EXCLUDES(mutex_);
  void end_round(const Seen& seen, Result<CallToolOutcome> outcome) POSTERN_EXCLUDES(mutex_);
  // Nothing when the task was dropped or the runner stops.
  [[nodiscard]] std::optional<Phase> phase_of(const Seen& seen) POSTERN_EXCLUDES(mutex_);
  // Unless the next round began already.
  void enter(const Seen& seen, Phase phase, Milliseconds time) POSTERN_EXCLUDES(mutex_);
  // It found no thread in time.
  void never_ran(const Seen& seen) POSTERN_EXCLUDES(mutex_);
  void forget(const Seen& seen) POSTERN_EXCLUDES(mutex_);

  Env env_;
  const SystemClock clock_;
  TaskStore& store_;
  const Milliseconds keep_;
  Mutex mutex_;
  ConditionVariable queued_;
  ConditionVariable changed_;
  std::map<std::string, std::shared_ptr<Entry>> entries_ POSTERN_GUARDED_BY(mutex_);
  std::deque<std::string> queue_ POSTERN_GUARDED_BY(mutex_);
  bool stopped_ POSTERN_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace postern::mcp
