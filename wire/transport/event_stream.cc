#include "wire/transport/event_stream.h"

#include <utility>

namespace postern {
namespace {

// Adds `prefix` and each line of `text`. The event-stream format ends a line at CR, LF or both (HTML, 9.2.5); text with
// a line end in it becomes several lines, which a reader of data joins again, and never a field of its own.
void append_lines(std::string& out, std::string_view prefix, std::string_view text) {
  for (;;) {
    const std::size_t end = text.find_first_of("\r\n");
    out.append(prefix).append(text.substr(0, end)).append("\n");
    if (end == std::string_view::npos) return;
    const bool both = text.substr(end, 2) == "\r\n";
    text.remove_prefix(end + (both ? 2 : 1));
  }
}

}  // namespace

std::shared_ptr<EventMailbox> EventStreamWriter::State::change() {
  if (told_ || mailbox_ == nullptr) return nullptr;
  told_ = true;
  return mailbox_;
}

bool EventStreamWriter::State::write(std::string_view bytes) {
  std::shared_ptr<EventMailbox> mailbox;
  std::uint64_t connection = 0;
  bool taken = false;
  {
    const MutexLock lock(mutex_);
    if (gone_ || finished_ || cut_) return false;
    if (pending_.size() + unsent_ + bytes.size() > bytes_max_) {
      cut_ = true;
    } else {
      pending_.append(bytes);
      taken = true;
    }
    mailbox = change();
    connection = connection_;
  }
  if (mailbox != nullptr) mailbox->post_changed_stream(connection);
  return taken;
}

void EventStreamWriter::State::finish() {
  std::shared_ptr<EventMailbox> mailbox;
  std::uint64_t connection = 0;
  {
    const MutexLock lock(mutex_);
    if (gone_ || finished_) return;
    finished_ = true;
    mailbox = change();
    connection = connection_;
  }
  if (mailbox != nullptr) mailbox->post_changed_stream(connection);
}

void EventStreamWriter::State::cut() {
  std::shared_ptr<EventMailbox> mailbox;
  std::uint64_t connection = 0;
  {
    const MutexLock lock(mutex_);
    if (gone_ || cut_) return;
    cut_ = true;
    mailbox = change();
    connection = connection_;
  }
  if (mailbox != nullptr) mailbox->post_changed_stream(connection);
}

void EventStreamWriter::State::on_gone(std::function<void()> gone) {
  {
    const MutexLock lock(mutex_);
    if (!gone_) {
      on_gone_.push_back(std::move(gone));
      return;
    }
  }
  gone();
}

void EventStreamWriter::State::attach(std::shared_ptr<EventMailbox> mailbox, std::uint64_t connection,
                                      std::size_t bytes_max) {
  const MutexLock lock(mutex_);
  mailbox_ = std::move(mailbox);
  connection_ = connection;
  bytes_max_ = bytes_max;
  if (pending_.size() > bytes_max_) cut_ = true;
}

EventStreamWriter::State::Taken EventStreamWriter::State::take() {
  const MutexLock lock(mutex_);
  told_ = false;
  Taken taken{std::exchange(pending_, {}), finished_};
  unsent_ = taken.bytes.size();
  return taken;
}

void EventStreamWriter::State::sent() {
  const MutexLock lock(mutex_);
  unsent_ = 0;
}

bool EventStreamWriter::State::finished() {
  const MutexLock lock(mutex_);
  return finished_;
}

bool EventStreamWriter::State::is_cut() {
  const MutexLock lock(mutex_);
  told_ = false;
  return cut_;
}

void EventStreamWriter::State::end() {
  std::vector<std::function<void()>> callbacks;
  {
    const MutexLock lock(mutex_);
    gone_ = true;
    pending_.clear();
    mailbox_ = nullptr;
    callbacks = std::exchange(on_gone_, {});
  }
  for (const std::function<void()>& callback : callbacks) callback();
}

bool EventStreamWriter::event(std::string_view data) const {
  std::string bytes;
  bytes.reserve(data.size() + 16);
  append_lines(bytes, "data: ", data);
  bytes.append("\n");
  return state_->write(bytes);
}

bool EventStreamWriter::comment(std::string_view text) const {
  std::string bytes;
  append_lines(bytes, ": ", text);
  bytes.append("\n");
  return state_->write(bytes);
}

void EventStreamWriter::finish() const {
  state_->finish();
}
void EventStreamWriter::on_gone(std::function<void()> gone) const {
  state_->on_gone(std::move(gone));
}

std::pair<EventStream, EventStreamWriter> EventStream::open(HeaderList headers) {
  auto state = std::make_shared<EventStreamWriter::State>();
  return {EventStream{std::move(headers), state}, EventStreamWriter(state)};
}

}  // namespace postern
