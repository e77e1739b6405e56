// SIGINT and SIGTERM while a verb runs.
//
// The first one requests a stop; what looks at the token can end in order. When two seconds have passed and the
// program is still there, or at a second signal, `before_end` is called on a thread of its own and the program ends
// with 130 or 143. A SIGINT that was ignored when the program started stays ignored. One at a time in a program.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace postern::lab {

class Interruption {
 public:
  // `before_end` must not wait for the thread that made this.
  explicit Interruption(std::function<void(int exit_code)> before_end);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  // 130 after SIGINT, 143 after SIGTERM, 0 while there was none.
  [[nodiscard]] int exit_code() const;

 private:
  void listen();

  std::function<void(int)> before_end_;
  std::stop_source source_;
  std::atomic<int> signal_{0};
  int pipe_[2] = {-1, -1};  // what the signal handler writes to, and what the thread reads
  std::thread thread_;
};

}  // namespace postern::lab
