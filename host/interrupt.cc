#include "host/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "wire/base/check.h"

namespace postern::host {
namespace {

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  struct sigaction inherited {};
  sigaction(SIGINT, nullptr, &inherited);
  if (inherited.sa_handler != SIG_IGN) sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGUSR1);  // from the destructor: the listening thread ends
  return set;
}

}  // namespace

Interrupt::Interrupt() {
  signal(SIGPIPE, SIG_IGN);
  const sigset_t set = watched_signals();
  POSTERN_CHECK(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
  thread_ = std::thread([this] { listen(); });
}

Interrupt::Interrupt(std::stop_token stop) {
  outer_.emplace(std::move(stop), [this] { source_.request_stop(); });
}

Interrupt::~Interrupt() {
  if (!thread_.joinable()) return;
  pthread_kill(thread_.native_handle(), SIGUSR1);
  thread_.join();
}

void Interrupt::listen() {
  const sigset_t set = watched_signals();
  while (true) {
    int number = 0;
    if (sigwait(&set, &number) != 0 || number == SIGUSR1) return;
    if (signal_.exchange(number) != 0) {
      const std::lock_guard<std::mutex> lock(mutex_);
      const std::string line =
          run_.empty()
              ? std::string("\nStopped at once.\n")
              : "\nStopped at once. Whether money moved is not known. Look before you try again: postern resume " +
                    run_ + "\n";
      [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
      _exit(number == SIGTERM ? 143 : 130);
    }
    source_.request_stop();
  }
}

void Interrupt::name_run(std::string_view run) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  run_ = run;
}

ExitCode Interrupt::code() const {
  return signal_.load() == SIGTERM ? ExitCode::kTerminated : ExitCode::kInterrupted;
}

}  // namespace postern::host
