#include "wire/transport/listening_socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/support/refused.h"

namespace postern {
namespace {

int option(int descriptor, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  getsockopt(descriptor, SOL_SOCKET, name, &value, &size);
  return value;
}

int bound_to(std::uint32_t address_in_host_order) {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(address_in_host_order);
  EXPECT_EQ(bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return descriptor;
}

TEST(ListeningSocket, TakesAFreePortForZero) {
  const auto socket = ListeningSocket::on_loopback(0);
  ASSERT_TRUE(test::succeeded(socket));
  EXPECT_GT(socket->port(), 0);
  EXPECT_EQ(socket->origin(), "http://127.0.0.1:" + std::to_string(socket->port()));
}

TEST(ListeningSocket, IsNeverShared) {
  const auto socket = ListeningSocket::on_loopback(0);
  EXPECT_EQ(option(socket->descriptor(), SO_REUSEPORT), 0);
  EXPECT_EQ(option(socket->descriptor(), SO_REUSEADDR), 1);
  EXPECT_NE(fcntl(socket->descriptor(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_NE(fcntl(socket->descriptor(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(ListeningSocket, IsBoundAgainAtOnceAfterItClosed) {
  std::uint16_t port = 0;
  {
    const auto socket = ListeningSocket::on_loopback(0);
    port = socket->port();
    EXPECT_TRUE(test::refused(ListeningSocket::on_loopback(port), "transport.address_in_use"));
  }
  const auto again = ListeningSocket::on_loopback(port);
  ASSERT_TRUE(test::succeeded(again));
  EXPECT_EQ(again->port(), port);
}

TEST(ListeningSocket, RefusesAnotherAddressThanLoopback) {
  EXPECT_TRUE(test::refused(ListeningSocket::of_descriptor(bound_to(INADDR_ANY)), "transport.not_loopback"));
  EXPECT_TRUE(test::refused(ListeningSocket::of_descriptor(bound_to(INADDR_LOOPBACK + 1)), "transport.not_loopback"));
  EXPECT_TRUE(test::succeeded(ListeningSocket::of_descriptor(bound_to(INADDR_LOOPBACK))));
}

TEST(ListeningSocket, RefusesADescriptorThatIsNoSocket) {
  const int file = open("/dev/null", O_RDONLY);
  EXPECT_TRUE(test::refused(ListeningSocket::of_descriptor(file), "transport.listen_failed"));
  close(file);
}

// Descriptors 3 and up are taken in the test program itself, so a child puts its sockets there. Returns what `check`
// returned.
template <class Check>
int in_child_with_sockets(int count, const char* names, const char* owner, Check check) {
  const pid_t child = fork();
  if (child == 0) {
    std::vector<int> bound;
    for (int i = 0; i < count; ++i) bound.push_back(fcntl(bound_to(INADDR_LOOPBACK), F_DUPFD, 20));
    for (int i = 0; i < count; ++i) dup2(bound[static_cast<std::size_t>(i)], 3 + i);
    setenv("LISTEN_FDS", std::to_string(count).c_str(), 1);
    if (names != nullptr) setenv("LISTEN_FDNAMES", names, 1);
    if (owner != nullptr) setenv("LISTEN_PID", owner, 1);
    _exit(check() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(InheritedSockets, AreTakenByNameOnce) {
  EXPECT_EQ(in_child_with_sockets(2, "desk:page", nullptr,
                                  [] {
                                    const auto sockets = take_inherited_sockets();
                                    return sockets && sockets->size() == 2 && (*sockets)[0].name == "desk" &&
                                           (*sockets)[1].name == "page" && (*sockets)[0].socket.descriptor() == 3 &&
                                           (fcntl(3, F_GETFD) & FD_CLOEXEC) != 0 &&
                                           std::getenv("LISTEN_FDS") == nullptr && take_inherited_sockets()->empty();
                                  }),
            0);
}

TEST(InheritedSockets, AreLeftWhenTheyAreForAnotherProcess) {
  const auto takes_none = [] { return take_inherited_sockets()->empty(); };
  EXPECT_EQ(in_child_with_sockets(1, "desk", "1", takes_none), 0);
  EXPECT_EQ(in_child_with_sockets(1, "desk", nullptr, takes_none), 1);
}

TEST(InheritedSockets, RefuseMoreNamesThanSockets) {
  const auto refuses = [] { return failed_with(take_inherited_sockets(), "transport.listen_failed"); };
  EXPECT_EQ(in_child_with_sockets(1, "desk:page", nullptr, refuses), 0);
  EXPECT_EQ(in_child_with_sockets(1, "desk", nullptr, refuses), 1);
}

TEST(InheritedSockets, AreNoneWithoutTheVariable) {
  const auto sockets = take_inherited_sockets();
  ASSERT_TRUE(test::succeeded(sockets));
  EXPECT_TRUE(sockets->empty());
}

}  // namespace
}  // namespace postern
