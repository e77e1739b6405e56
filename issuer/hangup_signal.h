// SIGHUP, the word of an operator to a program that runs: here, that the next signing key be made.
#pragma once

#include <functional>
#include <thread>

namespace postern::issuer {

class HangupSignal {
 public:
  // Blocks SIGHUP in this thread and those it starts, so make it before any other thread is started.
  HangupSignal();
  ~HangupSignal();  // waits for a call that runs
  HangupSignal(const HangupSignal&) = delete;
  HangupSignal& operator=(const HangupSignal&) = delete;

  // From now on calls it for each signal, on a thread of its own. Once.
  void on_signal(std::function<void()> call);

 private:
  int signals_ = -1;  // a signalfd
  int stop_ = -1;     // an eventfd
  std::thread thread_;
};

}  // namespace postern::issuer
