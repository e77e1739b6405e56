#include "tests/lab/replay/replay.h"

#include <algorithm>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "host/local_stack.h"
#include "host/outside.h"
#include "tests/lab/replay/host_program.h"
#include "tests/lab/replay/normaliser.h"
#include "tests/lab/replay/replay_client.h"
#include "tests/lab/replay/replay_stage.h"
#include "tests/lab/replay/stand_ins.h"
#include "tests/support/seeded_random.h"
#include "wire/base/file.h"

namespace postern::lab {
namespace {

// Addresses and nothing behind them.
class RecordedStack final : public host::LocalStack {
 public:
  explicit RecordedStack(const RecordedRun& run) : run_(run) {}
  [[nodiscard]] std::string issuer() const override { return origin("issuer"); }
  [[nodiscard]] std::string server() const override { return origin("desk") + "/mcp"; }
  [[nodiscard]] std::string page_origin() const override { return origin("page"); }
  [[nodiscard]] std::string model_url() const override { return origin("model"); }
  [[nodiscard]] host::HeadlessSecret headless_secret() const override {
    return host::HeadlessSecret::take(stand_in("headless", "hs_", 46));
  }
  [[nodiscard]] Json record() const override {
    Json ports = Json::object();
    for (const auto& [name, address] : run_.origins)
      ports.set(name, static_cast<std::int64_t>(std::atoi(address.substr(address.rfind(':') + 1).c_str())));
    // A desk of ours, which is no process.
    Json processes = Json::object({{"desk", Json::object({{"id", 0}, {"started", ""}})}});
    return Json::object({{"ports", std::move(ports)}, {"processes", std::move(processes)}});
  }
  void stay_until(WallTime) override {}
  void forget_keys() override {}

 private:
  [[nodiscard]] std::string origin(std::string_view name) const {
    const auto found = run_.origins.find(name);
    return found == run_.origins.end() ? "http://127.0.0.1:1" : "http://" + found->second;
  }
  const RecordedRun& run_;
};

class Replay {
 public:
  Replay(const RecordedRun& run, const ReplayTerms& terms)
      : run_(run),
        terms_(terms),
        stage_(run, terms.folder + "/state", !terms.first_time, terms.go_on),
        random_(run.seed + "/host") {}

  Result<Replayed> play() {
    for (const char* part : {"/state", "/home"}) POSTERN_TRY_VOID(make_folder(terms_.folder + part));
    Replayed played;
    played.run = run_;
    played.run.legs.clear();
    for (const RecordedLeg& leg : run_.legs) {
      POSTERN_TRY(RecordedLeg now, play_leg(leg));
      played.run.legs.push_back(std::move(now));
      if (stage_.is_over()) break;
    }
    played.run.lines = stage_.played();
    played.difference = stage_.difference();
    played.secrets = stage_.stand_ins().secrets();
    return played;
  }

 private:
  Result<RecordedLeg> play_leg(const RecordedLeg& leg) {
    const std::stop_source stop;
    stage_.begin_leg(leg, stop);
    RecordedLeg now;
    now.arguments = leg.arguments;
    now.stopped_at_wait = leg.stopped_at_wait;
    now.first = stage_.played().size();
    const host::Outside outside{
        stage_.clock(), random_,
        [this](Env env, HttpClientOptions options) { return make_replay_client(stage_, env, std::move(options)); },
        [this](Env, const host::LocalStackOptions&,
               const std::stop_token&) -> Result<std::unique_ptr<host::LocalStack>> {
          return std::unique_ptr<host::LocalStack>(std::make_unique<RecordedStack>(run_));
        }};
    std::vector<std::string> arguments = leg.arguments;
    for (std::string& argument : arguments) argument = stage_.stand_ins().with_words(argument);
    POSTERN_TRY(HostOutcome outcome,
                run_host_program(arguments, environment(), terms_.folder + "/home", outside, stop.get_token()));
    stage_.end_leg(leg);
    now.end = stage_.played().size();
    now.exit = outcome.exit;
    now.out = stage_.text(outcome.out);
    now.err = stage_.text(outcome.err);
    compare(leg, now);
    return now;
  }

  void compare(const RecordedLeg& leg, const RecordedLeg& now) {
    if (leg.out) say(difference_of_text("stdout", *leg.out, *now.out));
    if (leg.err) say(difference_of_text("stderr", *leg.err, *now.err));
    if (leg.exit && *leg.exit != *now.exit)
      say(Difference{0, "own", "exit", std::to_string(*leg.exit), std::to_string(*now.exit)});
  }

  void say(std::optional<Difference> difference) {
    if (difference) stage_.differ(*std::move(difference));
  }

  [[nodiscard]] host::Environment environment() const {
    return host::Environment{{{"HOME", terms_.folder + "/home"},
                              {"XDG_STATE_HOME", terms_.folder + "/state"},
                              {"XDG_CONFIG_HOME", terms_.folder + "/home/config"}}};
  }

  const RecordedRun& run_;
  const ReplayTerms& terms_;
  ReplayStage stage_;
  test::SeededRandom random_;
};

}  // namespace

Result<Replayed> replay(const RecordedRun& run, const ReplayTerms& terms) {
  if (!run.limits.empty()) return NotReplayable{run.name, run.limits.front()};
  return Replay(run, terms).play();
}

}  // namespace postern::lab
