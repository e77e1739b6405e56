#include "wire/transport/stdio_stream.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <optional>

#include "wire/base/check.h"

namespace postern {
namespace {

// What a pipe takes without blocking once poll(2) says that it is writable (pipe(7)).
constexpr std::size_t kPiece = 4096;

int milliseconds_until(SteadyTime deadline) {
  if (deadline == SteadyTime::max()) return -1;
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, INT_MAX));
}

// Readable once the token has fired.
class StopEvent {
 public:
  explicit StopEvent(const std::stop_token& stop)
      : descriptor_(stop.stop_possible() ? ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1) {
    if (descriptor_ >= 0) callback_.emplace(stop, Wake{descriptor_});
  }
  ~StopEvent() {
    callback_.reset();  // waits for a callback that runs; only then may the descriptor go
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  StopEvent(const StopEvent&) = delete;
  StopEvent& operator=(const StopEvent&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  struct Wake {
    int descriptor;
    void operator()() const {
      const std::uint64_t one = 1;
      if (::write(descriptor, &one, sizeof one) < 0) return;  // full, so readable already
    }
  };
  int descriptor_;
  std::optional<std::stop_callback<Wake>> callback_;
};

}  // namespace

void LineReader::show(std::string_view line) const {
  if (tap_.tap == nullptr) return;
  tap_.tap->see(TapRecord{Channel::kStdio, Direction::kIn, tap_.self, tap_.peer, 0, line, true});
}

Result<std::string> LineReader::read_line(SteadyTime deadline, std::stop_token stop) {
  for (;;) {
    auto line = framer_.next();
    if (!line) return std::move(line).error();
    if (*line) {
      show(**line);
      return *std::move(*line);
    }
    POSTERN_TRY(const bool more, fill(deadline, stop));
    if (!more) {
      if (!framer_.rest().empty()) show(framer_.rest());
      return PeerClosed{tap_.peer.empty() ? "The other end" : tap_.peer};
    }
  }
}

// Waits for bytes and feeds them; false at the end of the file.
Result<bool> LineReader::fill(SteadyTime deadline, const std::stop_token& stop) {
  const StopEvent stopped(stop);
  for (;;) {
    if (stop.stop_requested()) return Cancelled{};
    pollfd waits[] = {{descriptor_, POLLIN, 0}, {stopped.descriptor(), POLLIN, 0}};
    const int ready = ::poll(waits, stopped.descriptor() >= 0 ? 2 : 1, milliseconds_until(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      if (std::chrono::steady_clock::now() < deadline) continue;
      return TimedOut{tap_.peer.empty() ? "The other end" : tap_.peer};
    }
    if (stop.stop_requested()) return Cancelled{};
    char buffer[65536];
    const ssize_t got = ::read(descriptor_, buffer, sizeof buffer);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return false;
    framer_.feed(std::string_view(buffer, static_cast<std::size_t>(got)));
    return true;
  }
}

Status LineReader::wait_for_hang_up(SteadyTime deadline, std::stop_token stop) const {
  const StopEvent stopped(stop);
  for (;;) {
    if (stop.stop_requested()) return Cancelled{};
    pollfd waits[] = {{descriptor_, POLLRDHUP, 0}, {stopped.descriptor(), POLLIN, 0}};
    const int ready = ::poll(waits, stopped.descriptor() >= 0 ? 2 : 1, milliseconds_until(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      if (std::chrono::steady_clock::now() < deadline) continue;
      return TimedOut{tap_.peer.empty() ? "The other end" : tap_.peer};
    }
    if (ready < 0 || waits[0].revents != 0) return {};
  }
}

Status LineWriter::write_line(std::string_view line, SteadyTime deadline, std::stop_token stop) {
  const MutexLock lock(mutex_);
  return write(line, deadline, stop);
}

Result<bool> LineWriter::write_line_if_ready(std::string_view line, std::stop_token stop) {
  if (line.size() >= kPiece) return false;
  const MutexLock lock(mutex_);
  pollfd wait{descriptor_, POLLOUT, 0};
  if (!broken_ && ::poll(&wait, 1, 0) == 0) return false;
  POSTERN_TRY_VOID(write(line, SteadyTime::max(), stop));
  return true;
}

// poll(2) without a wait first: the pipe mostly has room, and then a stop needs nobody to listen for it.
Status LineWriter::wait_until_writable(SteadyTime deadline, const std::stop_token& stop) const {
  pollfd now{descriptor_, POLLOUT, 0};
  if (::poll(&now, 1, 0) > 0) return {};
  const StopEvent stopped(stop);
  for (;;) {
    if (stop.stop_requested()) return Cancelled{};
    pollfd waits[] = {{descriptor_, POLLOUT, 0}, {stopped.descriptor(), POLLIN, 0}};
    const int ready = ::poll(waits, stopped.descriptor() >= 0 ? 2 : 1, milliseconds_until(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return PeerClosed{peer()};
    if (ready == 0) {
      if (std::chrono::steady_clock::now() < deadline) continue;
      return TimedOut{peer()};
    }
    if (waits[0].revents != 0) return {};
  }
}

Status LineWriter::write(std::string_view line, SteadyTime deadline, const std::stop_token& stop) {
  POSTERN_CHECK(line.find('\n') == std::string_view::npos);
  if (broken_) return PeerClosed{peer()};
  if (stop.stop_requested()) return Cancelled{};
  if (tap_.tap != nullptr)
    tap_.tap->see(TapRecord{Channel::kStdio, Direction::kOut, tap_.self, tap_.peer, 0, line, true});
  std::string framed;
  framed.reserve(line.size() + 1);
  framed += line;
  framed += '\n';
  std::string_view rest = framed;
  while (!rest.empty()) {
    if (Status writable = wait_until_writable(deadline, stop); !writable) {
      broken_ = broken_ || rest.size() < framed.size();
      return writable;
    }
    const ssize_t written = ::write(descriptor_, rest.data(), std::min(rest.size(), kPiece));
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written < 0) {
      broken_ = true;
      return PeerClosed{peer()};
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace postern
