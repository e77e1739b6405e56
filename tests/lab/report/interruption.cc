#include "tests/lab/report/interruption.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "wire/base/check.h"

namespace postern::lab {
namespace {

constexpr int kGraceMs = 2000;
constexpr unsigned char kDestroyed = 0;  // no signal has that number

std::atomic<int> signal_pipe{-1};
struct sigaction old_interrupt;
struct sigaction old_terminate;

void on_signal(int number) {
  const int saved = errno;
  const auto byte = static_cast<unsigned char>(number);
  [[maybe_unused]] const ssize_t written = ::write(signal_pipe.load(), &byte, 1);
  errno = saved;
}

}  // namespace

Interruption::Interruption(std::function<void(int)> before_end) : before_end_(std::move(before_end)) {
  POSTERN_CHECK(::pipe2(pipe_, O_CLOEXEC) == 0);
  POSTERN_CHECK(signal_pipe.exchange(pipe_[1]) == -1);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, nullptr, &old_interrupt);
  if (old_interrupt.sa_handler != SIG_IGN) ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, &old_terminate);
  thread_ = std::thread([this] { listen(); });
}

Interruption::~Interruption() {
  ::sigaction(SIGINT, &old_interrupt, nullptr);
  ::sigaction(SIGTERM, &old_terminate, nullptr);
  POSTERN_CHECK(::write(pipe_[1], &kDestroyed, 1) == 1);
  thread_.join();
  signal_pipe.store(-1);
  ::close(pipe_[0]);
  ::close(pipe_[1]);
}

int Interruption::exit_code() const {
  const int number = signal_.load();
  return number == 0 ? 0 : 128 + number;
}

void Interruption::listen() {
  for (;;) {
    struct pollfd readable {
      pipe_[0], POLLIN, 0
    };
    const int ready = ::poll(&readable, 1, signal_.load() == 0 ? -1 : kGraceMs);
    if (ready < 0 && errno == EINTR) continue;
    unsigned char byte = kDestroyed;
    if (ready > 0 && (::read(pipe_[0], &byte, 1) != 1 || byte == kDestroyed)) return;
    if (ready > 0 && signal_.load() == 0) {
      signal_.store(byte);
      source_.request_stop();
      continue;
    }
    before_end_(exit_code());
    ::_exit(exit_code());
  }
}

}  // namespace postern::lab
