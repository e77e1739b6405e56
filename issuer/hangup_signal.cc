#include "issuer/hangup_signal.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "wire/base/check.h"

namespace postern::issuer {
namespace {

// True for a signal, false when it is time to end.
bool wait_for_signal(int signals, int stop) {
  for (;;) {
    pollfd waits[] = {{signals, POLLIN, 0}, {stop, POLLIN, 0}};
    if (::poll(waits, 2, -1) < 0 && errno != EINTR) return false;
    if (waits[1].revents != 0) return false;
    if (waits[0].revents == 0) continue;
    signalfd_siginfo info;
    if (::read(signals, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) return true;
  }
}

}  // namespace

HangupSignal::HangupSignal() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGHUP);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  stop_ = ::eventfd(0, EFD_CLOEXEC);
  POSTERN_CHECK(signals_ >= 0 && stop_ >= 0);
}

HangupSignal::~HangupSignal() {
  const std::uint64_t one = 1;
  if (thread_.joinable() && ::write(stop_, &one, sizeof one) == static_cast<ssize_t>(sizeof one)) thread_.join();
  ::close(signals_);
  ::close(stop_);
}

void HangupSignal::on_signal(std::function<void()> call) {
  thread_ = std::thread([signals = signals_, stop = stop_, call = std::move(call)] {
    while (wait_for_signal(signals, stop)) call();
  });
}

}  // namespace postern::issuer
