#include "wire/transport/listening_socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "wire/base/visible_text.h"

namespace postern {
namespace {

constexpr int kBacklog =
    1024;  // new connections that wait for accept(2); with the usual 5, bursts meet SYN retries of a second
constexpr int kFirstInherited = 3;  // SD_LISTEN_FDS_START of sd_listen_fds(3)
constexpr int kInheritedMax = 64;

ListenFailed listen_failed(const char* what) {
  return {std::string(what) + ": " + std::strerror(errno)};
}

// Close-on-exec, non-blocking, listening with our backlog.
Status prepare(int descriptor) {
  if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) return listen_failed("close-on-exec");
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) != 0) return listen_failed("non-blocking mode");
  if (listen(descriptor, kBacklog) != 0) {
    if (errno == EADDRINUSE) return AddressInUse{0};
    return listen_failed("listen");
  }
  return {};
}

// The port, when the socket is bound to 127.0.0.1.
Result<std::uint16_t> loopback_port(int descriptor) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return listen_failed("its address");
  if (storage.ss_family != AF_INET) return NotLoopback{"an address that is not IPv4"};
  const auto& address = reinterpret_cast<const sockaddr_in&>(storage);
  if (ntohl(address.sin_addr.s_addr) != INADDR_LOOPBACK) {
    char text[INET_ADDRSTRLEN] = {};
    inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
    return NotLoopback{text};
  }
  return ntohs(address.sin_port);
}

std::optional<int> number(const char* text) {
  int value = 0;
  const char* end = text + std::strlen(text);
  const auto [stopped, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

}  // namespace

Result<ListeningSocket> ListeningSocket::on_loopback(std::uint16_t port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return listen_failed("socket");
  ListeningSocket listening(descriptor, port);  // closes it on the ways out below
  // SO_REUSEADDR lets a restart bind at once. SO_REUSEPORT would let another process of this user take a share of the
  // connections.
  const int on = 1;
  if (setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) return listen_failed("SO_REUSEADDR");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno == EADDRINUSE) return AddressInUse{port};
    return listen_failed("bind");
  }
  if (Status prepared = prepare(descriptor); !prepared) {
    if (failed_with(prepared, AddressInUse::kId)) return AddressInUse{port};
    return std::move(prepared).error();
  }
  POSTERN_TRY(listening.port_, loopback_port(descriptor));
  return listening;
}

Result<ListeningSocket> ListeningSocket::of_descriptor(int descriptor) {
  int listening_already = 0;
  socklen_t size = sizeof listening_already;
  if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listening_already, &size) != 0) {
    return listen_failed("an inherited descriptor");
  }
  ListeningSocket listening(descriptor, 0);
  POSTERN_TRY(listening.port_, loopback_port(descriptor));
  POSTERN_TRY_VOID(prepare(descriptor));
  return listening;
}

ListeningSocket::~ListeningSocket() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string ListeningSocket::origin() const {
  return "http://127.0.0.1:" + std::to_string(port_);
}

Result<std::vector<NamedSocket>> take_inherited_sockets() {
  std::vector<NamedSocket> sockets;
  const char* count_text = std::getenv("LISTEN_FDS");
  if (count_text == nullptr) return sockets;
  const std::optional<int> count = number(count_text);
  const char* names_text = std::getenv("LISTEN_FDNAMES");
  std::string names = names_text == nullptr ? "" : names_text;
  const char* owner = std::getenv("LISTEN_PID");
  const bool for_us = owner == nullptr || number(owner) == std::optional<int>(getpid());
  unsetenv("LISTEN_FDS");
  unsetenv("LISTEN_FDNAMES");
  unsetenv("LISTEN_PID");
  if (!for_us) return sockets;
  if (!count || *count < 0 || *count > kInheritedMax) return ListenFailed{"LISTEN_FDS is not a small number"};
  for (int index = 0; index < *count; ++index) {
    const std::size_t colon = names.find(':');
    std::string name = names.substr(0, colon);
    names = colon == std::string::npos ? "" : names.substr(colon + 1);
    if (name.empty()) name = "unknown";  // what sd_listen_fds_with_names(3) says for one without a name
    POSTERN_TRY(ListeningSocket socket, ListeningSocket::of_descriptor(kFirstInherited + index));
    sockets.push_back(NamedSocket{std::move(name), std::move(socket)});
  }
  if (!names.empty()) return ListenFailed{"LISTEN_FDNAMES names more sockets than LISTEN_FDS counts"};
  return sockets;
}

std::string AddressInUse::text() const {
  return "Port " + std::to_string(port) +
         " on 127.0.0.1 is in use by another process. Nothing was started. Choose another port, or stop "
         "the program that has it.";
}

std::string ListenFailed::text() const {
  return "Cannot listen on loopback: " + visible_line(reason) + ".";
}

std::string NotLoopback::text() const {
  return "An inherited socket is bound to " + visible_line(address) +
         ", and only 127.0.0.1 is served. Nothing was started.";
}

}  // namespace postern
