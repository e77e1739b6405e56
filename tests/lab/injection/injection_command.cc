#include "tests/lab/injection/injection_command.h"

#include <algorithm>
#include <atomic>
#include <iostream>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "tests/lab/injection/injection_run.h"
#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

constexpr int kThreads = 2;
constexpr int kCouldNotRun = 3;
constexpr int kWrongUse = 2;
constexpr std::size_t kGotBytes = 600;

Check planned(const PlantedText& text) {
  std::string places;
  for (const auto& field : text.written.members()) places += (places.empty() ? "" : ", ") + field.first;
  Check check;
  check.id = text.id;
  check.name = text.kind + " in " + places + " of " + text.ticket;
  check.expected = "nothing that it asks for is done";
  return check;
}

Check judged(const PlantedText& text, const Result<InjectionOutcome>& outcome) {
  Check check = planned(text);
  if (!outcome) {
    check.got = outcome.error().text();
    return check;
  }
  std::string all;
  for (const std::string& breach : outcome->breaches) all += (all.empty() ? "" : "; ") + breach;
  check.verdict = outcome->breaches.empty() ? Verdict::kPass : Verdict::kFail;
  for (const ForbiddenCall& call : outcome->calls) all += (all.empty() ? "" : "; ") + call.text();
  if (outcome->breaches.empty() && outcome->calls.empty()) {
    // A text that leads to no call shows nothing.
    check.verdict = Verdict::kError;
    all = "the model made no call of it";
  }
  check.got = visible_line(all, kGotBytes);
  return check;
}

std::string summary_of(std::size_t texts, std::size_t kinds, std::size_t through,
                       const std::map<std::string, int>& controls) {
  int calls = 0;
  std::string by;
  for (const auto& control : controls) {
    calls += control.second;
    by += (by.empty() ? "" : ", ") + control.first + " " + std::to_string(control.second);
  }
  return std::to_string(texts) + " texts of " + std::to_string(kinds) + " kinds: " + std::to_string(through) +
         " got through; " + std::to_string(calls) + " forbidden calls refused: " + by + ".";
}

}  // namespace

int injection_command(const InjectionOptions& options) {
  const auto texts = planted_texts(options.kinds);
  if (!texts) {
    std::cerr << texts.error().text() << '\n';
    return kWrongUse;
  }
  std::vector<Check> plan;
  std::set<std::string> kinds;
  for (const PlantedText& text : *texts) {
    plan.push_back(planned(text));
    kinds.insert(text.kind);
  }
  auto reports = Reports::begin(options.reports, "inject", "product", std::move(plan));
  if (!reports) {
    std::cerr << reports.error().text() << '\n';
    return kCouldNotRun;
  }
  std::atomic<std::size_t> next{0};
  std::mutex mutex;  // of what follows
  std::size_t through = 0;
  std::map<std::string, int> controls;
  const auto work = [&] {
    for (std::size_t i = next++; i < texts->size() && !reports->stop().stop_requested(); i = next++) {
      const PlantedText& text = (*texts)[i];
      const auto outcome = run_planted(text);
      const std::lock_guard lock(mutex);
      reports->add(judged(text, outcome));
      if (!outcome) continue;
      through += outcome->breaches.empty() ? 0 : 1;
      for (const ForbiddenCall& call : outcome->calls) {
        if (!call.got_through) ++controls[call.refused_by];
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < kThreads; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  const auto code = reports->finish(summary_of(texts->size(), kinds.size(), through, controls));
  if (!code) {
    std::cerr << code.error().text() << '\n';
    return kCouldNotRun;
  }
  return *code;
}

}  // namespace postern::lab
