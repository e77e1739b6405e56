// Ctrl-C and SIGTERM: once stops at the next safe point, twice ends at once.
//
// A SIGINT that was ignored when the program started (a job in the background of a script) stays ignored. One per
// program, made in main before any thread is started; the token may be used from any thread.
#pragma once

#include <atomic>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "host/exit_code.h"

namespace postern::host {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  // The run that a second Ctrl-C speaks of. A run id as is_run_id() has it.
  void name_run(std::string_view run) const;
  [[nodiscard]] bool stopped() const { return source_.stop_requested(); }
  // 130 after SIGINT, 143 after SIGTERM. REQUIRES stopped().
  [[nodiscard]] ExitCode code() const;

 private:
  void listen();
  std::stop_source source_;
  std::thread thread_;
  std::atomic<int> signal_{0};
  mutable std::mutex mutex_;  // run_: the listening thread reads it
  mutable std::string run_;
};

}  // namespace postern::host
