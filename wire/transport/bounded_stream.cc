#include "wire/transport/bounded_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace postern {

int poll_milliseconds(const Clock& clock, SteadyTime deadline) {
  const SteadyTime now = clock.steady_now();
  if (now >= deadline) return 0;
  // Compared before it is subtracted: SteadyTime::max() means no deadline.
  if (deadline - now > std::chrono::hours(24)) return static_cast<int>(Milliseconds(std::chrono::hours(24)).count());
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now).count();
  return static_cast<int>(std::min<long long>(left, INT_MAX));
}

BoundedStream::BoundedStream(int descriptor, SSL* ssl, const Clock& clock, SteadyTime deadline)
    : descriptor_(descriptor), ssl_(ssl), clock_(clock), deadline_(deadline) {
  ::fcntl(descriptor_, F_SETFL, ::fcntl(descriptor_, F_GETFL, 0) | O_NONBLOCK);
}

bool BoundedStream::wait(short events) {
  for (;;) {
    const int left = poll_milliseconds(clock_, deadline_);
    pollfd wait{descriptor_, events, 0};
    const int ready = left > 0 ? ::poll(&wait, 1, left) : 0;
    if (ready > 0) return true;
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && left > 0 && clock_.steady_now() < deadline_) continue;
    timed_out_ = ready == 0;
    return false;
  }
}

// After an SSL call that gave `result`: waits for what it wants; false when it wants nothing more.
bool BoundedStream::wait_for_tls(int result) {
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ:
      return wait(POLLIN);
    case SSL_ERROR_WANT_WRITE:
      return wait(POLLOUT);
    default:
      return false;
  }
}

ssize_t BoundedStream::read(char* to, size_t size) {
  const int wanted = static_cast<int>(std::min<std::size_t>(size, INT_MAX));
  for (;;) {
    if (poll_milliseconds(clock_, deadline_) == 0) {  // also against a peer that always has one more byte
      timed_out_ = true;
      return -1;
    }
    if (ssl_ != nullptr) {
      ERR_clear_error();
      const int got = SSL_read(ssl_, to, wanted);
      if (got > 0) return got;
      if (SSL_get_error(ssl_, got) == SSL_ERROR_ZERO_RETURN) return 0;
      if (!wait_for_tls(got)) return -1;
      continue;
    }
    const ssize_t got = ::recv(descriptor_, to, static_cast<std::size_t>(wanted), 0);
    if (got >= 0) return got;
    if (errno == EINTR) continue;
    if ((errno != EAGAIN && errno != EWOULDBLOCK) || !wait(POLLIN)) return -1;
  }
}

ssize_t BoundedStream::write(const char* from, size_t size) {
  const int wanted = static_cast<int>(std::min<std::size_t>(size, INT_MAX));
  for (;;) {
    if (ssl_ != nullptr) {
      ERR_clear_error();
      const int sent = SSL_write(ssl_, from, wanted);
      if (sent > 0) return sent;
      if (!wait_for_tls(sent)) return -1;
      continue;
    }
    const ssize_t sent = ::send(descriptor_, from, static_cast<std::size_t>(wanted), MSG_NOSIGNAL);
    if (sent >= 0) return sent;
    if (errno == EINTR) continue;
    if ((errno != EAGAIN && errno != EWOULDBLOCK) || !wait(POLLOUT)) return -1;
  }
}

bool BoundedStream::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = write(bytes.data(), bytes.size());
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace postern
