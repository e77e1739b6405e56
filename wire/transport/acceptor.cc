#include "wire/transport/acceptor.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

namespace postern {
namespace {

constexpr std::string_view kFull =
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n";
constexpr std::string_view kPeerFull =
    "HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n";

// The few bytes fit into the empty socket buffer.
void refuse(int descriptor, std::string_view reply) {
  [[maybe_unused]] const ssize_t sent = send(descriptor, reply.data(), reply.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  // Closing with bytes unread would send a reset, which can overtake the reply.
  std::array<char, 4096> unread{};
  shutdown(descriptor, SHUT_WR);
  [[maybe_unused]] const ssize_t got = recv(descriptor, unread.data(), unread.size(), MSG_DONTWAIT);
  close(descriptor);
}

int open_spare() {
  return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

bool without_descriptor(int error) {
  return error == EMFILE || error == ENFILE;
}

}  // namespace

Acceptor::Acceptor() : spare_(open_spare()) {}

Acceptor::~Acceptor() {
  if (spare_ >= 0) close(spare_);
}

Acceptor::Outcome Acceptor::accept(int listening, int* descriptor, IpAddress* peer) {
  sockaddr_in address{};
  const auto take = [&] {
    socklen_t size = sizeof address;
    return accept4(listening, reinterpret_cast<sockaddr*>(&address), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  };
  int to_refuse = -1;
  int error = 0;
  {
    const MutexLock lock(mutex_);
    *descriptor = take();
    error = errno;
    if (*descriptor < 0 && without_descriptor(error)) {
      if (spare_ < 0) spare_ = open_spare();
      if (spare_ >= 0) {
        close(std::exchange(spare_, -1));
        to_refuse = take();
        error = errno;
        // What is refused is closed first: its descriptor is the next spare one.
        if (to_refuse >= 0) refuse_full(to_refuse);
        spare_ = open_spare();
      }
    }
  }
  if (*descriptor >= 0) {
    *peer = IpAddress::of(address);
    return Outcome::kAccepted;
  }
  if (to_refuse >= 0) return Outcome::kRefused;
  if (without_descriptor(error) || error == ENOBUFS || error == ENOMEM) return Outcome::kExhausted;
  return error == EINTR || error == ECONNABORTED ? Outcome::kAgain : Outcome::kNone;
}

void Acceptor::refuse_full(int descriptor) {
  refuse(descriptor, kFull);
}

void Acceptor::refuse_peer(int descriptor) {
  refuse(descriptor, kPeerFull);
}

}  // namespace postern
