// A server that sends exactly the bytes it is told to, well-formed or not. One thread a connection, ended with it.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "wire/base/uri.h"

namespace postern::test {

class RawConnection {
 public:
  explicit RawConnection(int descriptor) : descriptor_(descriptor) {}
  ~RawConnection() { close(); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  // One request with the body that its Content-Length names; empty when the peer closed.
  std::string read_request() {
    for (;;) {
      const std::size_t end = buffer_.find("\r\n\r\n");
      if (end != std::string::npos) {
        std::size_t length = 0;
        const std::size_t field = buffer_.find("Content-Length: ");
        if (field < end) length = std::stoul(buffer_.substr(field + 16));
        if (buffer_.size() >= end + 4 + length) {
          std::string request = buffer_.substr(0, end + 4 + length);
          buffer_.erase(0, request.size());
          return request;
        }
      }
      char bytes[16384];
      const ssize_t got = ::recv(descriptor_, bytes, sizeof bytes, 0);
      if (got <= 0) return {};
      buffer_.append(bytes, static_cast<std::size_t>(got));
    }
  }
  // False when the peer is gone.
  bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // Blocks until the peer closes.
  void wait_for_close() const {
    char byte = 0;
    while (::recv(descriptor_, &byte, 1, 0) > 0) {
    }
  }
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  std::string buffer_;
};

class RawServer {
 public:
  using Serve = std::function<void(RawConnection&)>;
  explicit RawServer(Serve serve)
      : serve_(std::move(serve)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 64), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~RawServer() {
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    ::close(listener_);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (const int descriptor : open_) ::shutdown(descriptor, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  [[nodiscard]] Uri uri(const std::string& path = "/", const std::string& scheme = "http",
                        const std::string& host = "127.0.0.1") const {
    return *parse_uri(scheme + "://" + host + ":" + std::to_string(port_) + path);
  }
  [[nodiscard]] int connections() const { return connections_; }

 private:
  void accept_all() {
    for (;;) {
      const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (descriptor < 0) return;
      ++connections_;
      const std::lock_guard<std::mutex> lock(mutex_);
      open_.push_back(descriptor);
      threads_.emplace_back([this, descriptor] {
        RawConnection connection(::dup(descriptor));
        serve_(connection);
        connection.close();
        const std::lock_guard<std::mutex> inner(mutex_);
        for (int& open : open_) {
          if (open == descriptor) open = -1;
        }
        ::close(descriptor);
      });
    }
  }

  Serve serve_;
  int listener_;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_{0};
  std::mutex mutex_;
  std::vector<int> open_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace postern::test
