#include "tests/lab/replay/replay_stage.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "tests/lab/replay/message_text.h"
#include "wire/base/file.h"
#include "wire/tap/wire_log_message.h"

namespace postern::lab {
namespace {

constexpr std::size_t kLogBytesMax = std::size_t{1} << 28;
constexpr std::size_t kRecordBytesMax = 1024 * 1024;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

}  // namespace

bool ReplayClock::wait_for(Milliseconds how_long, const std::stop_token& stop) const {
  if (++waits_ == stopped_at_wait_) std::stop_source(stop_).request_stop();
  if (!stop.stop_requested()) ms_ += how_long.count();
  return stop.stop_requested();
}

void ReplayClock::move_to(std::int64_t unix_ms) {
  ms_ = std::max(ms_, unix_ms);
}

void ReplayClock::begin_leg(int stopped_at_wait, std::stop_source stop) {
  waits_ = 0;
  stopped_at_wait_ = stopped_at_wait;
  stop_ = std::move(stop);
}

ReplayStage::ReplayStage(const RecordedRun& run, std::string state_home, bool times, bool goes_on)
    : run_(run),
      state_home_(std::move(state_home)),
      times_(times),
      goes_on_(goes_on),
      clock_(unix_ms_of(run.clock).value_or(0)),
      stand_ins_(run) {
  words_.origins = run.origins;
  words_.folder = state_home_;
  words_.began_ms = unix_ms_of(run.clock).value_or(0);
}

void ReplayStage::begin_leg(const RecordedLeg& leg, std::stop_source stop) {
  clock_.begin_leg(leg.stopped_at_wait, std::move(stop));
}

// The run's folder is there before its log is, and says what the run calls itself; the nonce comes a little later.
void ReplayStage::find_run() {
  if (!words_.run.empty() && !words_.nonce.empty()) return;
  if (words_.run.empty()) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(state_home_ + "/postern/runs", error))
      words_.run = entry.path().filename().string();
    if (words_.run.empty()) return;
  }
  if (const auto text = read_file(state_home_ + "/postern/runs/" + words_.run + "/run.json", kRecordBytesMax)) {
    if (const auto record = parse_json(*text)) words_.nonce = record->string_at("label_nonce");
  }
  normaliser_.learn(words_);
  stand_ins_.learn(words_);
}

void ReplayStage::compare_log() {
  find_run();
  if (words_.run.empty()) return;
  const auto log = read_file(state_home_ + "/postern/runs/" + words_.run + "/wire.jsonl", kLogBytesMax);
  if (!log) return;
  while (log_read_ < log->size()) {
    const std::size_t end = log->find('\n', log_read_);
    if (end == std::string::npos) return;
    auto line = normaliser_.line(std::string_view(*log).substr(log_read_, end - log_read_));
    log_read_ = end + 1;
    if (line) take(*std::move(line));
  }
}

void ReplayStage::take(Json line) {
  played_.push_back(std::move(line));
  if (parted()) return;
  const Json& replayed = played_.back();
  if (next_ >= run_.lines.size()) {
    differ(one_too_many(next_ + 1, replayed));
    return;
  }
  const Json* recorded = &run_.lines[next_++];
  Json without_time;
  if (!times_) {
    without_time = *recorded;
    without_time.set("at", *replayed.find("at"));
    recorded = &without_time;
  }
  if (auto difference = difference_of(next_, *recorded, replayed)) differ(*std::move(difference));
}

void ReplayStage::differ(Difference difference) {
  if (!difference_) difference_ = std::move(difference);
}

void ReplayStage::end_leg(const RecordedLeg& leg) {
  compare_log();
  if (!parted() && next_ < leg.end) differ(one_too_few(next_ + 1, run_.lines[next_]));
}

std::int64_t ReplayStage::request_sent(std::string_view bytes) {
  compare_log();
  if (played_.empty()) return 0;
  const Json& line = played_.back();
  const std::optional<WireHead> head = read_wire_head(bytes);
  if (!head || line.string_at("kind") != "bytes") return 0;
  stand_ins_.bind(line.string_at("start"), head->start);
  if (const Json* headers = line.find("headers"); headers != nullptr && headers->size() == head->headers.size()) {
    for (std::size_t i = 0; i < head->headers.size(); ++i) {
      const Json::Array& pair = headers->elements()[i].elements();
      if (pair.size() == 2 && pair[0].string() != nullptr && *pair[0].string() == lower(head->headers[i].first) &&
          pair[1].string() != nullptr)
        stand_ins_.bind(*pair[1].string(), head->headers[i].second);
    }
  }
  stand_ins_.bind(line.string_at("body"), bytes.substr(head->size));
  return line.integer_at("exchange").value_or(0);
}

std::vector<const Json*> ReplayStage::answer(std::int64_t exchange) const {
  std::vector<const Json*> lines;
  for (std::size_t i = parted() ? 0 : next_; i < run_.lines.size(); ++i) {
    const Json& line = run_.lines[i];
    if (line.string_at("kind") == "bytes" && line.string_at("to") == "host" && line.integer_at("exchange") == exchange)
      lines.push_back(&line);
  }
  return lines;
}

const Json* ReplayStage::failure(std::int64_t exchange) const {
  if (exchange == 0) {
    const bool is_next = next_ < run_.lines.size() && run_.lines[next_].string_at("kind") == "failed" &&
                         !run_.lines[next_].has("exchange");
    return is_next ? &run_.lines[next_] : nullptr;
  }
  for (std::size_t i = parted() ? 0 : next_; i < run_.lines.size(); ++i) {
    const Json& line = run_.lines[i];
    if (line.string_at("kind") == "failed" && line.integer_at("exchange") == exchange) return &line;
  }
  return nullptr;
}

void ReplayStage::failed(Json line) {
  compare_log();
  line.set("at", unix_ms_of(rfc3339(clock_.now())).value_or(0) - words_.began_ms);
  take(std::move(line));
}

void ReplayStage::move_clock(const Json& line) {
  if (times_) clock_.move_to(words_.began_ms + line.integer_at("at").value_or(0));
}

}  // namespace postern::lab
