#include "wire/transport/event_mailbox.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "wire/base/check.h"

namespace postern {

EventMailbox::EventMailbox() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  POSTERN_CHECK(descriptor_ >= 0);
}

EventMailbox::~EventMailbox() {
  ::close(descriptor_);
}

void EventMailbox::wake() {
  if (woken_) return;
  woken_ = true;
  const std::uint64_t one = 1;
  const ssize_t written = write(descriptor_, &one, sizeof one);
  POSTERN_CHECK(written == sizeof one);
}

bool EventMailbox::post_accepted(Accepted& accepted) {
  const MutexLock lock(mutex_);
  if (closed_) return false;
  mail_.accepted.push_back(std::move(accepted));
  wake();
  return true;
}

bool EventMailbox::post_lane_result(LaneResult& result) {
  const MutexLock lock(mutex_);
  if (closed_) return false;
  mail_.lane_results.push_back(std::move(result));
  wake();
  return true;
}

void EventMailbox::post_changed_stream(std::uint64_t connection) {
  const MutexLock lock(mutex_);
  if (closed_) return;
  mail_.changed_streams.push_back(connection);
  wake();
}

void EventMailbox::post_drain(SteadyTime until) {
  const MutexLock lock(mutex_);
  if (closed_) return;
  mail_.drain_until = until;
  wake();
}

EventMailbox::Mail EventMailbox::take() {
  const MutexLock lock(mutex_);
  if (woken_) {
    std::uint64_t count = 0;
    const ssize_t got = read(descriptor_, &count, sizeof count);
    POSTERN_CHECK(got == sizeof count);
    woken_ = false;
  }
  return std::exchange(mail_, Mail{});
}

EventMailbox::Mail EventMailbox::close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  return std::exchange(mail_, Mail{});
}

}  // namespace postern
