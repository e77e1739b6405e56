// Ctrl-C and SIGTERM: once stops at the next safe point, twice ends at once.
//
// A SIGINT that was ignored when the program started (a job in the background of a script) stays ignored. One per
// program, made in main before any thread is started; the token may be used from any thread. A run inside of another
// program has none of it but a token (Interrupt(std::stop_token)).
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "host/exit_code.h"

namespace postern::host {

class Interrupt {
 public:
  Interrupt();
  // Listens to no signal: `stop` is what a first Ctrl-C would be.
  explicit Interrupt(std::stop_token stop);
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
  std::optional<std::stop_callback<std::function<void()>>> outer_;
  std::thread thread_;
  std::atomic<int> signal_{0};
  mutable std::mutex mutex_;  // run_: the listening thread reads it
  mutable std::string run_;
};

}  // namespace postern::host
