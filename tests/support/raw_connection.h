// A TCP connection that sends exactly the bytes it is given, and reads what comes: for peers that no HTTP client would
// play.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace postern::test {

struct RawReply {
  int status = 0;
  std::string head;  // with the status line, without the empty line
  std::string body;
};

class RawConnection {
 public:
  static constexpr int kPatienceMs = 20'000;  // for what must come; nothing waits that long unless it fails

  // From the address `from` (network order), when it is not 0.
  explicit RawConnection(std::uint16_t port, int receive_buffer = 0, in_addr_t from = 0)
      : descriptor_(socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer > 0) setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    const int on = 1;
    setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = from;
    if (from != 0) bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) close_now();
  }
  RawConnection(RawConnection&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), buffer_(std::move(other.buffer_)) {}
  RawConnection& operator=(RawConnection&&) = delete;
  ~RawConnection() { close_now(); }

  [[nodiscard]] bool connected() const { return descriptor_ >= 0; }
  // False when the peer has reset the connection.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  void finish_sending() const { shutdown(descriptor_, SHUT_WR); }
  // Ends the connection with a reset instead of an orderly end.
  void reset_now() {
    const linger at_once{1, 0};
    setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close_now();
  }
  void close_now() {
    if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  }

  // The next whole reply, by its Content-Length; nothing when the connection ends before.
  std::optional<RawReply> reply(bool head_only = false) {
    std::size_t end = std::string::npos;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!read_more(kPatienceMs)) return std::nullopt;
    }
    RawReply reply;
    reply.head = buffer_.substr(0, end);
    reply.status = std::atoi(reply.head.c_str() + 9);
    const std::size_t field = reply.head.find("\r\nContent-Length: ");
    const std::size_t length =
        field == std::string::npos || head_only ? 0 : std::strtoul(reply.head.c_str() + field + 18, nullptr, 10);
    while (buffer_.size() < end + 4 + length) {
      if (!read_more(kPatienceMs)) return std::nullopt;
    }
    reply.body = buffer_.substr(end + 4, length);
    buffer_.erase(0, end + 4 + length);
    return reply;
  }
  // Reads until `text` has come; false when the connection ends before. What came stays in `received()`.
  bool read_until(std::string_view text) {
    while (buffer_.find(text) == std::string::npos) {
      if (!read_more(kPatienceMs)) return false;
    }
    return true;
  }
  // Everything until the peer closes or resets.
  std::string read_to_end() {
    while (read_more(kPatienceMs)) {
    }
    return std::exchange(buffer_, {});
  }
  enum class End { kClosed, kTimedOut, kTooMuch, kWhole };
  // What comes until the peer closes or resets, `whole` says that it is all, or one of the bounds is reached.
  template <typename Whole>
  End read_within(std::chrono::milliseconds total, std::size_t bytes_max, const Whole& whole) {
    const auto deadline = std::chrono::steady_clock::now() + total;
    while (!whole(buffer_)) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      if (buffer_.size() > bytes_max) return End::kTooMuch;
      if (left.count() <= 0) return End::kTimedOut;
      if (!read_more(static_cast<int>(left.count()))) return timed_out_ ? End::kTimedOut : End::kClosed;
    }
    return End::kWhole;
  }
  // True when the peer closes in good time; what it still sends is read and kept.
  bool closes() {
    while (read_more(kPatienceMs)) {
    }
    return !timed_out_;
  }
  // Whether anything comes in so short a time. For what must not come.
  bool anything_within(int ms) { return !buffer_.empty() || read_more(ms); }
  [[nodiscard]] const std::string& received() const { return buffer_; }

 private:
  bool read_more(int patience_ms) {
    pollfd waiting{descriptor_, POLLIN, 0};
    timed_out_ = poll(&waiting, 1, patience_ms) == 0;
    if (timed_out_) return false;
    char bytes[65536];
    const ssize_t count = recv(descriptor_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  int descriptor_;
  std::string buffer_;
  bool timed_out_ = false;
};

// The statuses of all replies in a stretch of bytes.
inline std::vector<int> statuses_in(std::string_view bytes) {
  std::vector<int> statuses;
  for (std::size_t at = bytes.find("HTTP/1.1 "); at != std::string_view::npos; at = bytes.find("HTTP/1.1 ", at + 1)) {
    const int status = std::atoi(std::string(bytes.substr(at + 9, 3)).c_str());
    if (status > 0) statuses.push_back(status);  // not the words "HTTP/1.1" in a body
  }
  return statuses;
}

}  // namespace postern::test
