// std::mutex as a capability of clang's thread-safety analysis, which refuses libstdc++'s own. Members are marked
// POSTERN_GUARDED_BY(mutex_); under g++ the marks vanish.
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define POSTERN_ATTRIBUTE(x) __attribute__((x))
#else
#define POSTERN_ATTRIBUTE(x)
#endif
#define POSTERN_GUARDED_BY(m) POSTERN_ATTRIBUTE(guarded_by(m))
#define POSTERN_REQUIRES(m) POSTERN_ATTRIBUTE(requires_capability(m))
#define POSTERN_EXCLUDES(m) POSTERN_ATTRIBUTE(locks_excluded(m))

namespace postern {

class POSTERN_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  void lock() POSTERN_ATTRIBUTE(acquire_capability()) { mutex_.lock(); }
  void unlock() POSTERN_ATTRIBUTE(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class POSTERN_ATTRIBUTE(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) POSTERN_ATTRIBUTE(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() POSTERN_ATTRIBUTE(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Waits on a Mutex that the caller holds: `std::condition_variable_any` works with it as it stands.
using ConditionVariable = std::condition_variable_any;

}  // namespace postern
