#include "wire/transport/room.h"

#include <utility>

namespace postern {

void Room::take(std::size_t amount) {
  const MutexLock lock(mutex_);
  taken_ += amount;
}

void Room::give_back(std::size_t amount) {
  std::optional<std::stop_source> awaited;
  {
    const MutexLock lock(mutex_);
    taken_ -= amount;
    if (has_room()) awaited = std::exchange(awaited_, std::nullopt);
  }
  if (awaited) awaited->request_stop();
}

void Room::open_for_good() {
  std::optional<std::stop_source> awaited;
  {
    const MutexLock lock(mutex_);
    open_ = true;
    awaited = std::exchange(awaited_, std::nullopt);
  }
  if (awaited) awaited->request_stop();
}

bool Room::is_free() const {
  const MutexLock lock(mutex_);
  return has_room();
}

std::stop_token Room::free() {
  const MutexLock lock(mutex_);
  if (has_room()) return free_.get_token();
  if (!awaited_) awaited_.emplace();
  return awaited_->get_token();
}

bool wait_for_either(const std::stop_token& one, const std::stop_token& other, SteadyTime deadline) {
  Mutex mutex;
  ConditionVariable changed;
  const auto wake = [&] {
    const MutexLock lock(mutex);  // not between the look at the tokens and the wait
    changed.notify_all();
  };
  const std::stop_callback first(one, wake);  // runs here when it has fired: before the lock is taken
  const std::stop_callback second(other, wake);
  const auto fired = [&] { return one.stop_requested() || other.stop_requested(); };
  {
    const MutexLock lock(mutex);
    while (!fired()) {
      if (deadline == SteadyTime::max()) {
        changed.wait(mutex);
      } else if (changed.wait_until(mutex, deadline) == std::cv_status::timeout) {
        break;
      }
    }
  }
  return fired();
}

}  // namespace postern
