#include "tests/lab/replay/recorder.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tests/lab/replay/normaliser.h"
#include "tests/lab/replay/replay.h"
#include "tests/lab/replay/replay_client.h"
#include "tests/lab/replay/secret_shapes.h"
#include "wire/base/file.h"
#include "wire/base/uri.h"

namespace postern::lab {
namespace {

constexpr std::size_t kLogBytesMax = std::size_t{1} << 28;
constexpr std::size_t kRecordBytesMax = 1024 * 1024;
constexpr std::string_view kOrigins[] = {"issuer", "payments", "page", "approvals", "desk", "model"};

std::string wire_log_in(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
    if (entry.path().filename() == "wire.jsonl") return entry.path().string();
  }
  return {};
}

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  const auto log = path.empty() ? Result<std::string>(std::string()) : read_file(path, kLogBytesMax);
  if (!log) return lines;
  std::string_view rest = *log;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

// The host's requests that got no answer, and how: the wire log has only what crossed.
class FailureNotes {
 public:
  struct Note {
    std::size_t behind = 0;  // so many lines of the log
    Json line;
    std::int64_t exchange = 0;  // as the log has it; 0: none
    std::int64_t at_ms = 0;
  };

  explicit FailureNotes(std::string folder) : folder_(std::move(folder)) {}
  void use(const LabClock& clock) { clock_ = &clock; }

  // How many lines the log has now.
  [[nodiscard]] std::size_t lines() const { return lines_of(wire_log_in(folder_)).size(); }
  // `before`: what lines() was when the request came.
  void add(std::string_view peer, const Uri& uri, const HttpRequest& request, const Failure& failure,
           std::size_t before) {
    const std::vector<std::string> lines = lines_of(wire_log_in(folder_));
    Note note{lines.size(), failed_line(peer, uri, request, failure, 0), 0, 0};
    if (clock_ != nullptr) note.at_ms = unix_ms_of(rfc3339(clock_->now())).value_or(0);
    if (before < lines.size()) {
      const auto sent = parse_json(lines[before], {16 * 1024 * 1024, 64});
      if (sent) note.exchange = sent->integer_at("exchange").value_or(0);
    }
    notes_.push_back(std::move(note));
  }
  [[nodiscard]] const std::vector<Note>& all() const { return notes_; }

 private:
  std::string folder_;
  const LabClock* clock_ = nullptr;
  std::vector<Note> notes_;
};

class NotedClient final : public HttpClient {
 public:
  NotedClient(std::unique_ptr<HttpClient> inner, std::string peer, std::shared_ptr<FailureNotes> notes)
      : inner_(std::move(inner)), peer_(std::move(peer)), notes_(std::move(notes)) {}

  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime deadline,
                            std::stop_token stop) override {
    return noted(uri, request, [&] { return inner_->send(uri, request, deadline, std::move(stop)); });
  }
  Result<HttpResponse> send_guarded(const Uri& uri, const HttpRequest& request, const SendGuard& guard,
                                    SteadyTime deadline, std::stop_token stop) override {
    return noted(uri, request, [&] { return inner_->send_guarded(uri, request, guard, deadline, std::move(stop)); });
  }
  Result<HttpResponse> open(const Uri& uri, const HttpRequest& request,
                            const std::function<bool(const HttpResponse&)>& on_head,
                            const std::function<bool(std::string_view)>& on_bytes, SteadyTime deadline,
                            std::stop_token stop) override {
    return noted(uri, request,
                 [&] { return inner_->open(uri, request, on_head, on_bytes, deadline, std::move(stop)); });
  }
  Result<HttpResponse> open_until(const Uri& uri, const HttpRequest& request,
                                  const std::function<bool(const HttpResponse&)>& on_head,
                                  const std::function<bool(std::string_view)>& on_bytes,
                                  const std::function<SteadyTime()>& deadline, std::stop_token stop) override {
    return noted(uri, request,
                 [&] { return inner_->open_until(uri, request, on_head, on_bytes, deadline, std::move(stop)); });
  }

 private:
  template <class Send>
  Result<HttpResponse> noted(const Uri& uri, const HttpRequest& request, Send send_on) {
    const std::size_t before = notes_->lines();
    Result<HttpResponse> response = send_on();
    if (!response) notes_->add(peer_, uri, request, response.error(), before);
    return response;
  }

  std::unique_ptr<HttpClient> inner_;
  std::string peer_;
  std::shared_ptr<FailureNotes> notes_;
};

class ScenarioRecorder {
 public:
  ScenarioRecorder(const Scenario& scenario, std::string folder)
      : scenario_(scenario), folder_(std::move(folder)), notes_(std::make_shared<FailureNotes>(folder_)) {}

  Result<RecordedRun> record() {
    faults::Scene scene;
    scene.world.folder = folder_;
    scenario_.set_up(scene);
    note_failures(scene.world.decorators);
    run_.name = scenario_.name;
    run_.scenario = scenario_.name;
    run_.ticket = scene.run.ticket;
    run_.seed = scene.world.seed;
    const std::string script = scene.run.model_script.empty() ? scene.world.model_script : scene.run.model_script;
    POSTERN_TRY(const std::unique_ptr<LabWorld> world, LabWorld::make(scene.world));
    *scene.made = world.get();
    notes_->use(world->clock());
    run_.clock = rfc3339(world->clock().now());
    words_.began_ms = unix_ms_of(run_.clock).value_or(0);
    for (const std::string_view name : kOrigins) {
      if (const auto uri = parse_uri(world->origin(name))) run_.origins.emplace(name, uri->authority());
    }
    words_.origins = run_.origins;
    HostRunOptions options = scene.run;
    if (scenario_.in_world) scenario_.in_world(*world, options);
    POSTERN_TRY(const HostRunResult first, world->host_run(options));
    take(first, options, script);
    if (scene.goes_on) {
      options.resume = first.run;
      options.stopped_at_wait = 0;
      POSTERN_TRY(const HostRunResult again, world->host_run(options));
      take(again, options, script);
    }
    run_.secrets = shapes_of(run_);
    for (std::size_t i = 0; i < run_.lines.size(); ++i) {
      if (run_.lines[i].has("cut")) run_.limits.push_back("entry " + std::to_string(i + 1) + ": a body was cut");
    }
    if (normaliser_.saw_alias()) run_.limits.emplace_back("a text of the run looks like an alias already");
    return std::move(run_);
  }

 private:
  // Around everything else that stands between the host and the world: what the host gets is noted.
  void note_failures(Decorators& decorators) {
    decorators.http = [inner = std::move(decorators.http), notes = notes_](std::unique_ptr<HttpClient> client,
                                                                           std::string_view from, std::string_view to) {
      if (inner) client = inner(std::move(client), from, to);
      if (from != "host") return client;
      return std::unique_ptr<HttpClient>(std::make_unique<NotedClient>(std::move(client), std::string(to), notes));
    };
  }

  void take(const HostRunResult& result, const HostRunOptions& options, const std::string& script) {
    words_.run = result.run;
    std::filesystem::path state = std::filesystem::path(result.wire_file).parent_path();
    if (const auto text = read_file((state / "run.json").string(), kRecordBytesMax)) {
      if (const auto record = parse_json(*text)) words_.nonce = record->string_at("label_nonce");
    }
    for (int up = 0; up < 3; ++up) state = state.parent_path();  // <state>/postern/runs/<run>
    words_.folder = state.string();
    normaliser_.learn(words_);
    RecordedLeg leg;
    leg.arguments = options.resume.empty() ? std::vector<std::string>{"run", options.ticket}
                                           : std::vector<std::string>{"resume", "{run}"};
    if (options.resume.empty()) leg.arguments.insert(leg.arguments.end(), {"--model-api", "script:" + script});
    leg.arguments.insert(leg.arguments.end(), options.arguments.begin(), options.arguments.end());
    leg.stopped_at_wait = options.stopped_at_wait;
    leg.first = run_.lines.size();
    take_lines(result.wire_file);
    leg.end = run_.lines.size();
    leg.exit = result.exit;
    leg.out = normaliser_.text(result.out);
    leg.err = normaliser_.text(result.err);
    run_.legs.push_back(std::move(leg));
  }

  void take_lines(const std::string& wire_file) {
    const std::vector<std::string> lines = lines_of(wire_file);
    for (; lines_taken_ < lines.size(); ++lines_taken_) {
      take_failures();
      if (auto line = normaliser_.line(lines[lines_taken_])) {
        run_.lines.push_back(*std::move(line));
      } else {
        run_.limits.push_back("line " + std::to_string(lines_taken_ + 1) + " of the wire log cannot be read");
      }
    }
    take_failures();
  }

  void take_failures() {
    for (; notes_taken_ < notes_->all().size() && notes_->all()[notes_taken_].behind <= lines_taken_; ++notes_taken_) {
      const FailureNotes::Note& note = notes_->all()[notes_taken_];
      Json line = note.line;
      line.set("at", note.at_ms - words_.began_ms);
      if (note.exchange != 0) line.set("exchange", normaliser_.exchange_of(note.exchange));
      run_.lines.push_back(std::move(line));
    }
  }

  const Scenario& scenario_;
  std::string folder_;
  std::shared_ptr<FailureNotes> notes_;
  RecordedRun run_;
  Normaliser normaliser_;
  Normaliser::Words words_;
  std::size_t lines_taken_ = 0;
  std::size_t notes_taken_ = 0;
};

// A request that was never answered, in a log that does not say how it ended: as if the peer had hung up.
void note_unanswered(RecordedRun& run) {
  for (std::size_t i = 0; i < run.lines.size(); ++i) {
    const Json& line = run.lines[i];
    if (line.string_at("kind") != "bytes" || line.string_at("from") != "host") continue;
    const auto exchange = line.integer_at("exchange");
    const bool answered = std::any_of(run.lines.begin(), run.lines.end(), [&](const Json& other) {
      return other.string_at("to") == "host" && other.integer_at("exchange") == exchange;
    });
    if (!answered)
      run.limits.push_back("entry " + std::to_string(i + 1) + ": nothing answered, and the log does not say why");
  }
}

}  // namespace

Result<RecordedRun> record_scenario(const Scenario& scenario, const std::string& folder) {
  return ScenarioRecorder(scenario, folder).record();
}

Result<RecordedRun> record_run(const std::string& run_folder, const std::string& folder) {
  POSTERN_TRY(RecordedRun run, read_recorded_run(run_folder));
  run.seed = "1";
  run.secrets = shapes_of(run);
  note_unanswered(run);
  if (run.legs.size() == 1 && !run.legs.front().exit) run.limits.emplace_back("the run is not finished");
  if (!run.limits.empty()) return run;
  POSTERN_TRY(Replayed played, replay(run, {folder, true}));
  if (played.difference) {
    run.limits.push_back(played.difference->text());
    return run;
  }
  played.run.secrets = run.secrets;
  return std::move(played.run);
}

}  // namespace postern::lab
