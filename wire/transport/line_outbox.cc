#include "wire/transport/line_outbox.h"

#include <utility>

namespace postern {

void LineOutbox::hold(Line line, bool first) {
  room_.take(line.text.size());
  if (first) {
    waiting_.push_front(std::move(line));
  } else {
    waiting_.push_back(std::move(line));
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
}

bool LineOutbox::put(std::string line, Withdrawn withdrawn) {
  Line held{std::move(line), std::move(withdrawn)};
  {
    const MutexLock lock(mutex_);
    if (closed_ || !status_) return false;
    if (writing_ || !waiting_.empty()) {
      hold(std::move(held), false);
      changed_.notify_all();
      return true;
    }
    writing_ = true;
  }
  write_at_once(std::move(held));
  return true;
}

// By the thread that put it in, while nothing waits: as long as the reader is quick, nobody is woken.
void LineOutbox::write_at_once(Line line) {
  const Result<bool> written =
      line.is_withdrawn() ? true : writer_.write_line_if_ready(line.text, give_up_.get_token());
  if (written && !*written) {
    const MutexLock lock(mutex_);
    hold(std::move(line), true);
  }
  end_write(written ? Status() : written.error());
}

void LineOutbox::end_write(const Status& written) {
  std::deque<Line> dropped;
  bool breaks = false;
  {
    const MutexLock lock(mutex_);
    writing_ = false;
    if (!written && status_) {
      status_ = written;
      dropped = std::exchange(waiting_, {});
      breaks = true;
    }
  }
  changed_.notify_all();
  if (!breaks) return;
  room_.open_for_good();
  if (on_broken_) on_broken_();
}

void LineOutbox::serve() {
  for (;;) {
    Line line;
    {
      const MutexLock lock(mutex_);
      while (writing_ || (waiting_.empty() && !closed_)) changed_.wait(mutex_);
      if (waiting_.empty()) return;
      line = std::move(waiting_.front());
      waiting_.pop_front();
      writing_ = true;
    }
    const Status written =
        line.is_withdrawn() ? Status() : writer_.write_line(line.text, SteadyTime::max(), give_up_.get_token());
    room_.give_back(line.text.size());
    end_write(written);
  }
}

Status LineOutbox::close(SteadyTime deadline) {
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
    while (writing_ || !waiting_.empty()) {
      if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
    }
  }
  room_.open_for_good();
  give_up_.request_stop();
  for (;;) {  // again when a thread that was putting a line in has started another one meanwhile
    std::thread thread;
    {
      const MutexLock lock(mutex_);
      while (writing_) changed_.wait(mutex_);  // it was just told to give up
      thread = std::exchange(thread_, {});
      if (!thread.joinable()) return status_;
    }
    thread.join();
  }
}

}  // namespace postern
