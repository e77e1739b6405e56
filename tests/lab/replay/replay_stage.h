// What the parts of one replay share: the recording, how far it is played, the clock, and the first difference.
//
// The host's own wire log is what is compared: each line of it, as soon as it is written, is normalised and held
// against the next one of the recording. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/replay/difference.h"
#include "tests/lab/replay/normaliser.h"
#include "tests/lab/replay/recorded_run.h"
#include "tests/lab/replay/stand_ins.h"
#include "wire/base/clock.h"

namespace postern::lab {

// Moves when the host waits, and to the times of the recorded answers. After so many waits a Ctrl-C comes.
class ReplayClock final : public Clock {
 public:
  explicit ReplayClock(std::int64_t unix_ms) : ms_(unix_ms) {}
  [[nodiscard]] WallTime now() const override { return WallTime(Milliseconds(ms_)); }
  [[nodiscard]] SteadyTime steady_now() const override { return SteadyTime(Milliseconds(ms_)); }
  [[nodiscard]] bool wait_for(Milliseconds how_long, const std::stop_token& stop) const override;

  void move_to(std::int64_t unix_ms);
  void begin_leg(int stopped_at_wait, std::stop_source stop);

 private:
  mutable std::int64_t ms_;  // who waits holds the clock as const
  mutable int waits_ = 0;
  int stopped_at_wait_ = 0;
  std::stop_source stop_;
};

class ReplayStage {
 public:
  // `state_home`: where the host makes its run. `times`: whether the times of the recording are those of a clock that
  // moves as this one does; false for what ran by a real clock.
  ReplayStage(const RecordedRun& run, std::string state_home, bool times, bool goes_on);

  [[nodiscard]] ReplayClock& clock() { return clock_; }
  [[nodiscard]] StandIns& stand_ins() { return stand_ins_; }
  [[nodiscard]] const RecordedRun& run() const { return run_; }

  void begin_leg(const RecordedLeg& leg, std::stop_source stop);
  // Reads what the host has logged since, and compares it.
  void compare_log();
  // Once the host has ended: what was never asked for.
  void end_leg(const RecordedLeg& leg);

  // The request that was sent last, raw: its line of the log is the newest one. Learns what the host calls its secrets,
  // and gives the exchange's number in the recording; 0 when the log has no such line.
  [[nodiscard]] std::int64_t request_sent(std::string_view bytes);
  // The lines of the answer to it, from here on.
  [[nodiscard]] std::vector<const Json*> answer(std::int64_t exchange) const;
  // The recorded failure of that exchange (0: of a request that no log shows) that comes next, or null.
  [[nodiscard]] const Json* failure(std::int64_t exchange) const;
  // That failure, as it happened now.
  void failed(Json line);
  // The time of a recorded line.
  void move_clock(const Json& line);

  [[nodiscard]] bool parted() const { return difference_.has_value(); }
  [[nodiscard]] bool is_over() const { return parted() && !goes_on_; }
  void differ(Difference difference);
  [[nodiscard]] const std::optional<Difference>& difference() const { return difference_; }
  // All lines so far, in the form of a recording.
  [[nodiscard]] const std::vector<Json>& played() const { return played_; }
  [[nodiscard]] std::string text(std::string_view printed) { return normaliser_.text(printed); }
  // A run that was found in `state_home`.
  [[nodiscard]] const std::string& run_id() const { return words_.run; }

 private:
  void find_run();
  void take(Json line);

  const RecordedRun& run_;
  std::string state_home_;
  bool times_;
  bool goes_on_;
  ReplayClock clock_;
  StandIns stand_ins_;
  Normaliser normaliser_;
  Normaliser::Words words_;
  std::size_t log_read_ = 0;  // bytes of the wire log
  std::size_t next_ = 0;      // of run_.lines
  std::vector<Json> played_;
  std::optional<Difference> difference_;
};

}  // namespace postern::lab
