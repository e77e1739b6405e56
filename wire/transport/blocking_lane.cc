#include "wire/transport/blocking_lane.h"

#include <exception>
#include <utility>
#include <variant>

#include "wire/base/log.h"

namespace postern {
namespace {

HttpReply run(const BlockingLane::Job& job) {
  try {
    HttpReply reply = job.work(job.stop);
    while (auto* more = std::get_if<Blocking>(&reply)) {
      const std::function<HttpReply(std::stop_token)> work = std::move(more->work);
      reply = work(job.stop);
    }
    return reply;
  } catch (...) {
    // The text may hold anything (a path, SQL, a token): it goes nowhere.
    log_error("a handler threw in the blocking lane; answered 500");
    return HttpResponse{500, {}, ""};
  }
}

}  // namespace

bool BlockingLane::submit(Job job) {
  const MutexLock lock(mutex_);
  if (stopped_) return false;
  // An idle thread counts until it takes its job, so that two bursts never share one.
  const std::size_t to_start = threads_max_ - threads_.size();
  if (waiting_.size() >= idle_ + to_start + queue_max_) return false;
  waiting_.push_back(std::move(job));
  if (waiting_.size() > idle_ && to_start > 0) {
    ++idle_;
    threads_.emplace_back([this] { serve(); });
  }
  changed_.notify_one();
  return true;
}

void BlockingLane::serve() {
  for (;;) {
    Job job;
    {
      const MutexLock lock(mutex_);
      while (waiting_.empty() && !stopped_) changed_.wait(mutex_);
      if (stopped_) return;
      job = std::move(waiting_.front());
      waiting_.pop_front();
      --idle_;
    }
    if (!job.stop.stop_requested()) job.done(run(job));
    job = Job{};
    const MutexLock lock(mutex_);
    ++idle_;
  }
}

void BlockingLane::stop() {
  std::vector<std::thread> threads;
  std::deque<Job> dropped;
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    threads = std::exchange(threads_, {});
    dropped = std::exchange(waiting_, {});
  }
  changed_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace postern
