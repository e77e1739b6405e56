// Listening TCP sockets on loopback, bound here or inherited from the parent.
//
// A parent binds every socket of a local stack before it starts a child, so that each child can be told the ports of
// the others, and hands them down as descriptors 3 and up with LISTEN_FDS and LISTEN_FDNAMES (the form of
// sd_listen_fds(3); LISTEN_PID is not used by our own parents, and is honoured when it is set).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "wire/base/result.h"

namespace postern {

// Owns the descriptor. Close-on-exec, non-blocking, SO_REUSEADDR and never SO_REUSEPORT, backlog 1024.
class ListeningSocket {
 public:
  // Port 0 takes a free one. `transport.address_in_use` when another process has it.
  [[nodiscard]] static Result<ListeningSocket> on_loopback(std::uint16_t port);
  // Takes over an inherited descriptor. `transport.not_loopback` when it is bound to another address than 127.0.0.1.
  [[nodiscard]] static Result<ListeningSocket> of_descriptor(int descriptor);
  ListeningSocket(ListeningSocket&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), port_(other.port_) {}
  ListeningSocket& operator=(ListeningSocket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(port_, other.port_);
    return *this;
  }
  ~ListeningSocket();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  // "http://127.0.0.1:PORT"
  [[nodiscard]] std::string origin() const;

 private:
  ListeningSocket(int descriptor, std::uint16_t port) : descriptor_(descriptor), port_(port) {}
  int descriptor_ = -1;
  std::uint16_t port_ = 0;
};

struct NamedSocket {
  std::string name;
  ListeningSocket socket;
};

// The sockets that the parent handed down (LISTEN_FDS, LISTEN_FDNAMES); empty when there are none. Unsets the
// variables, so that a grandchild does not take them for its own.
[[nodiscard]] Result<std::vector<NamedSocket>> take_inherited_sockets();

struct AddressInUse {
  static constexpr std::string_view kId = "transport.address_in_use";
  static constexpr Layer kLayer = Layer::kBytes;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::uint16_t port = 0;
  [[nodiscard]] std::string text() const;
};
struct ListenFailed {
  static constexpr std::string_view kId = "transport.listen_failed";
  static constexpr Layer kLayer = Layer::kBytes;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  std::string reason;
  [[nodiscard]] std::string text() const;
};
struct NotLoopback {
  static constexpr std::string_view kId = "transport.not_loopback";
  static constexpr Layer kLayer = Layer::kBytes;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string address;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
