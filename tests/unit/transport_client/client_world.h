// A client with everything around it that its tests need.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/support/seeded_random.h"
#include "wire/transport/http_client.h"

namespace postern::test {

// The system's clock, which can also be moved ahead.
class ShiftedClock final : public Clock {
 public:
  [[nodiscard]] WallTime now() const override { return system_.now(); }
  [[nodiscard]] SteadyTime steady_now() const override { return system_.steady_now() + Milliseconds(ahead_ms_.load()); }
  void advance(Milliseconds by) { ahead_ms_ += by.count(); }

 private:
  SystemClock system_;
  std::atomic<std::int64_t> ahead_ms_{0};
};

struct SeenRecord {
  Direction direction;
  std::uint64_t exchange;
  std::string bytes;
  bool last;
};

class RecordingTap final : public Tap {
 public:
  void see(const TapRecord& record) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    records_.push_back({record.direction, record.exchange, std::string(record.bytes), record.last});
  }
  [[nodiscard]] std::vector<SeenRecord> records() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return records_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<SeenRecord> records_;
};

struct ClientWorld {
  ShiftedClock clock;
  SeededRandom random;
  RecordingTap tap;
  Env env{clock, random, tap};
  HttpClientOptions options;

  [[nodiscard]] std::unique_ptr<HttpClient> client() const { return make_http_client(env, options); }
  [[nodiscard]] SteadyTime in(int ms) const { return clock.steady_now() + Milliseconds(ms); }
  [[nodiscard]] SteadyTime soon() const { return in(20'000); }
  [[nodiscard]] static HttpRequest get() { return HttpRequest{"GET", "", {}, "", ""}; }
  [[nodiscard]] static HttpRequest post(std::string body = "{}") {
    return HttpRequest{"POST",
                       "",
                       {{"Authorization", "Bearer secret-token"}, {"Content-Type", "application/json"}},
                       std::move(body),
                       ""};
  }
};

}  // namespace postern::test
