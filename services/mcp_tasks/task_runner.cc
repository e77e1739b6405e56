#include "services/mcp_tasks/task_runner.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "services/mcp/answer.h"
#include "services/mcp/failures.h"
#include "services/mcp_tasks/failures.h"
#include "wire/base/log.h"
#include "wire/mcp/codec.h"

namespace postern::mcp {
namespace {

// The work of a parked task goes a little after its record, never before.
constexpr Milliseconds kAfterExpiry{1'000};
constexpr Milliseconds kRest{500};
// How often a shared store is looked at.
constexpr Milliseconds kLook{200};

// A plain call that is out of time gives a tool error; the task ends in the same result (SEP-2663, "Task Execution
// Errors": it is what the underlying request would have returned).
OutOfTime out_of_time(const TaskStart& task, bool may_have_acted) {
  return {task.tool, task.deadline.count(), may_have_acted};
}

CallToolResult error_result(const Failure& failure) {
  return {Json::array({text_block(failure.text())}), std::nullopt, true};
}

// What the client is not told.
void log_internal(const TaskStart& task, const Failure& failure) {
  if (failure.disposition() == Disposition::kToolError) return;
  if (error_of(failure, std::nullopt).code != static_cast<std::int64_t>(ErrorCode::kInternalError)) return;
  log_error(task.tool + ", as a task, failed with " + std::string(failure.id()) + ": " + failure.text());
}

}  // namespace

TaskRunner::TaskRunner(Env env, TaskStore& store, std::size_t workers, Milliseconds keep)
    : env_(env), store_(store), keep_(keep) {
  for (std::size_t i = 0; i < std::max<std::size_t>(workers, 1); ++i) threads_.emplace_back([this] { work(); });
  threads_.emplace_back([this] { watch(); });
}

TaskRunner::~TaskRunner() {
  std::map<std::string, std::shared_ptr<Entry>> entries;
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    queue_.clear();
    entries.swap(entries_);
  }
  queued_.notify_all();
  changed_.notify_all();
  for (const auto& [id, entry] : entries) entry->source.request_stop();
  for (std::thread& thread : threads_) thread.join();
  if (!store_.is_shared()) return;
  const WallTime now = env_.clock.now();
  for (const auto& [id, entry] : entries) {  // nobody will carry them out
    const auto told = store_.change(id, now, [&](TaskRecord& record) {
      if (is_final(record.status)) return false;
      record.fail(TaskAbandoned{}, now, keep_);
      return true;
    });
    if (!told) log_internal(entry->task, told.error());
  }
}

void TaskRunner::begin(const std::string& id, TaskStart start) {
  const auto entry = std::make_shared<Entry>();
  entry->task = std::move(start);
  {
    const MutexLock lock(mutex_);
    entry->due = clock_.steady_now() + entry->task.deadline;
    entries_.emplace(id, entry);
    queue_.push_back(id);
  }
  queued_.notify_one();
  changed_.notify_one();
}

void TaskRunner::go_on(const std::string& id, std::int64_t round) {
  {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end() || found->second->round != round - 1) return;
    Entry& entry = *found->second;
    entry.round = round;
    entry.phase = Phase::kQueued;
    entry.due = clock_.steady_now() + entry.task.deadline;
    entry.source = std::stop_source();
    queue_.push_back(id);
  }
  queued_.notify_one();
  changed_.notify_one();
}

void TaskRunner::drop(const std::string& id) {
  std::shared_ptr<Entry> entry;
  std::stop_source source;
  {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    entry = std::move(found->second);
    source = entry->source;
    entries_.erase(found);
  }
  source.request_stop();  // runs callbacks: never with the lock held
}

std::optional<TaskRunner::Seen> TaskRunner::next_in_queue() {
  while (!queue_.empty()) {
    const std::string id = std::move(queue_.front());
    queue_.pop_front();
    const auto found = entries_.find(id);
    if (found == entries_.end()) continue;  // dropped while it waited
    Entry& entry = *found->second;
    entry.phase = Phase::kRunning;
    return Seen{id, found->second, entry.round, entry.phase, entry.source};
  }
  return std::nullopt;
}

void TaskRunner::work() {
  for (;;) {
    std::optional<Seen> seen;
    {
      const MutexLock lock(mutex_);
      while (!stopped_ && queue_.empty()) queued_.wait(mutex_);
      if (stopped_) return;
      seen = next_in_queue();
    }
    if (seen) run_round(*seen);
  }
}

void TaskRunner::run_round(const Seen& seen) {
  const auto record = store_.find(seen.id, env_.clock.now());
  if (!record) return end_round(seen, record.error());
  if (!*record || (*record)->status != TaskStatus::kWorking || (*record)->round != seen.round) return forget(seen);
  end_round(seen, seen.entry->task.work((*record)->answers, (*record)->request_state, seen.source.get_token()));
}

void TaskRunner::end_round(const Seen& seen, Result<CallToolOutcome> outcome) {
  const TaskStart& task = seen.entry->task;
  if (!outcome) {
    const auto phase = phase_of(seen);
    if (!phase) return;
    log_internal(task, outcome.error());
    if (*phase == Phase::kStopped) outcome = out_of_time(task, true);
    if (outcome.error().disposition() == Disposition::kToolError) outcome = error_result(outcome.error());
  }
  const auto* asked = outcome ? std::get_if<InputRequiredResult>(&*outcome) : nullptr;
  const bool asks = asked != nullptr && !asked->input_requests.empty();
  const WallTime now = env_.clock.now();
  const auto changed = store_.change(seen.id, now, [&](TaskRecord& record) {
    // A result that comes after the end of the task is dropped.
    if (record.status != TaskStatus::kWorking || record.round != seen.round) return false;
    if (!outcome)
      record.fail(outcome.error(), now, keep_);
    else if (asks)
      record.park(*asked, now, keep_);
    else if (asked != nullptr)
      record.hold(asked->request_state, now, keep_);
    else
      record.complete(std::get<CallToolResult>(*outcome), now, keep_);
    return true;
  });
  if (!changed) log_internal(task, changed.error());
  if (asked == nullptr || !changed || !*changed) return forget(seen);
  if (asks)
    enter(seen, Phase::kParked, keep_ + kAfterExpiry);
  else
    enter(seen, Phase::kResting, kRest);
}

std::optional<TaskRunner::Phase> TaskRunner::phase_of(const Seen& seen) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(seen.id);
  if (found == entries_.end() || found->second->round != seen.round) return std::nullopt;
  return found->second->phase;
}

void TaskRunner::enter(const Seen& seen, Phase phase, Milliseconds time) {
  {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(seen.id);
    if (found == entries_.end() || found->second->round != seen.round) return;
    found->second->phase = phase;
    found->second->due = clock_.steady_now() + time;
  }
  changed_.notify_one();
}

std::vector<TaskRunner::Seen> TaskRunner::all_entries() {
  std::vector<Seen> seen;
  for (const auto& [id, entry] : entries_) seen.push_back({id, entry, entry->round, entry->phase, entry->source});
  return seen;
}

std::vector<TaskRunner::Seen> TaskRunner::take_late(SteadyTime now) {
  std::vector<Seen> late;
  for (auto at = entries_.begin(); at != entries_.end();) {
    Entry& entry = *at->second;
    if (entry.due > now) {
      ++at;
      continue;
    }
    late.push_back({at->first, at->second, entry.round, entry.phase, entry.source});
    const bool waits = entry.phase == Phase::kQueued || entry.phase == Phase::kParked;
    if (entry.phase == Phase::kRunning) {
      entry.phase = Phase::kStopped;
      entry.due = SteadyTime::max();
    }
    at = waits ? entries_.erase(at) : std::next(at);
  }
  return late;
}

void TaskRunner::wait_for_change() {
  auto next = SteadyTime::max();
  for (const auto& [id, entry] : entries_) next = std::min(next, entry->due);
  if (store_.is_shared() && !entries_.empty()) next = std::min(next, clock_.steady_now() + kLook);
  if (next == SteadyTime::max())
    changed_.wait(mutex_);
  else
    changed_.wait_until(mutex_, next);
}

void TaskRunner::watch() {
  SteadyTime looked_at = clock_.steady_now();
  for (;;) {
    std::vector<Seen> late;
    std::vector<Seen> all;
    {
      const MutexLock lock(mutex_);
      if (stopped_) return;
      const SteadyTime now = clock_.steady_now();
      late = take_late(now);
      if (store_.is_shared() && now >= looked_at + kLook) {
        all = all_entries();
        looked_at = now;
      }
      if (late.empty() && all.empty()) wait_for_change();
    }
    for (const Seen& seen : all) look_at_store(seen);
    for (const Seen& seen : late) end_phase(seen);
  }
}

void TaskRunner::end_phase(const Seen& seen) {
  std::stop_source source = seen.source;
  switch (seen.phase) {
    case Phase::kQueued:
      return never_ran(seen);
    case Phase::kRunning:
      source.request_stop();
      return;
    case Phase::kResting:
      return go_on(seen.id, seen.round + 1);
    case Phase::kStopped:
    case Phase::kParked:  // its record is over too
      return;
  }
}

void TaskRunner::look_at_store(const Seen& seen) {
  const auto record = store_.find(seen.id, env_.clock.now());
  if (!record) return log_internal(seen.entry->task, record.error());
  if (!*record || is_final((*record)->status)) return drop(seen.id);
  const bool answered = seen.phase == Phase::kParked && (*record)->status == TaskStatus::kWorking;
  if (answered) go_on(seen.id, (*record)->round);
}

void TaskRunner::never_ran(const Seen& seen) {
  const WallTime now = env_.clock.now();
  const TaskStart& task = seen.entry->task;
  const auto changed = store_.change(seen.id, now, [&](TaskRecord& record) {
    if (record.status != TaskStatus::kWorking || record.round != seen.round) return false;
    record.complete(error_result(out_of_time(task, seen.round > 1)), now, keep_);
    return true;
  });
  if (!changed) log_internal(task, changed.error());
}

void TaskRunner::forget(const Seen& seen) {
  std::shared_ptr<Entry> gone;  // the work goes when the lock is not held: it may hold the tables of a whole server
  const MutexLock lock(mutex_);
  const auto found = entries_.find(seen.id);
  if (found == entries_.end() || found->second->round != seen.round) return;
  gone = std::move(found->second);
  entries_.erase(found);
}

}  // namespace postern::mcp
