#include "tests/lab/world/host_runs.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <stop_token>
#include <utility>
#include <variant>

#include "host/cli.h"
#include "host/command.h"
#include "host/interrupt.h"
#include "host/local_stack.h"
#include "host/run_command.h"
#include "host/run_store.h"
#include "tests/lab/browser.h"
#include "tests/lab/run_command.h"
#include "wire/base/file.h"

namespace postern::lab {
namespace {

constexpr std::size_t kModelRequestBytesMax = 32U * 1024 * 1024;  // of the Messages API
constexpr JsonBounds kModelRequestBounds{kModelRequestBytesMax, 64};

// A stream that is kept in memory.
class KeptStream {
 public:
  explicit KeptStream(const char* name) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {}
  ~KeptStream() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  KeptStream(const KeptStream&) = delete;
  KeptStream& operator=(const KeptStream&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }
  // What was written since the last call, and before it.
  [[nodiscard]] const std::string& text() {
    char bytes[16 * 1024];
    for (;;) {
      const ssize_t got = ::pread(descriptor_, bytes, sizeof bytes, static_cast<off_t>(text_.size()));
      if (got <= 0) return text_;
      text_.append(bytes, static_cast<std::size_t>(got));
    }
  }

 private:
  int descriptor_;
  std::string text_;
};

// Nothing is ever typed.
class NoInput {
 public:
  NoInput() : descriptor_(::open("/dev/null", O_RDONLY | O_CLOEXEC)) {}
  ~NoInput() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  NoInput(const NoInput&) = delete;
  NoInput& operator=(const NoInput&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// The servers of the world, as a run of the host knows its local stack.
class WorldStack final : public host::LocalStack {
 public:
  explicit WorldStack(const host::LocalWorld& world) : world_(world) {}
  [[nodiscard]] std::string issuer() const override { return world_.origin("issuer"); }
  [[nodiscard]] std::string server() const override { return world_.server(); }
  [[nodiscard]] std::string page_origin() const override { return world_.origin("page"); }
  [[nodiscard]] std::string model_url() const override { return world_.origin("model"); }
  [[nodiscard]] host::HeadlessSecret headless_secret() const override {
    return host::HeadlessSecret::take(std::string(world_.headless_secret));
  }
  // Processes that there are none of: whoever would end them finds nobody.
  [[nodiscard]] Json record() const override {
    Json ports = Json::object();
    for (const auto& [name, port] : world_.ports) ports.append_member(name, static_cast<std::int64_t>(port));
    Json processes = Json::object();
    for (const std::string_view name : {"issuer", "payments", "desk", "approvals", "model"})
      processes.append_member(std::string(name), Json::object({{"id", 0}, {"started", ""}}));
    return Json::object({{"ports", std::move(ports)}, {"processes", std::move(processes)}});
  }
  void stay_until(WallTime /*time*/) override {}  // they live as long as the world
  void forget_keys() override {}

 private:
  const host::LocalWorld& world_;
};

// What a person does who waits for the link that the host shows.
class Person {
 public:
  Person(const HostRunParts& parts, const HostRunOptions& options) : parts_(parts), options_(options) {}

  // Looks at what the host printed, and makes up their mind once, for each link.
  void look(const std::string& shown) {
    while (options_.supervisor) {
      const std::size_t end = shown.find('\n', read_);
      if (end == std::string::npos) return;
      std::string link = approval_link_in(std::string_view(shown).substr(read_, end - read_));
      read_ = end + 1;
      if (link.empty() || link == last_link_) continue;
      last_link_ = link;
      parts_.clock.in(std::chrono::duration_cast<Milliseconds>(options_.decides_after),
                      [this, link = std::move(link)] { decide(link); });
    }
  }
  [[nodiscard]] const std::string& pressed() const { return pressed_; }

 private:
  void decide(const std::string& link) {
    HttpClientOptions client_options;
    client_options.tap_self = "supervisor";
    client_options.tap_peer = "page";
    NoTap tap;
    auto client = parts_.network.client({parts_.clock, parts_.random, tap}, client_options);
    if (parts_.options.decorators.http) {
      client = parts_.options.decorators.http(std::move(client), "browser", "anybody");
    }
    Browser browser(*client, parts_.clock);
    Supervisor supervisor(browser, *options_.supervisor);
    const Result<OpenPage> page = supervisor.decide(link);
    pressed_.clear();
    for (const std::string& one : supervisor.pressed()) pressed_ += (pressed_.empty() ? "" : " > ") + one;
    if (!page) pressed_ += ": " + page.error().text();
  }

  const HostRunParts& parts_;
  const HostRunOptions& options_;
  std::size_t read_ = 0;
  std::string last_link_;
  std::string pressed_;
};

// Of this run alone, so that nothing of another one is left on the clock.
class WaitHook {
 public:
  WaitHook(LabClock& clock, std::function<void()> what) : clock_(clock) { clock_.before_wait(std::move(what)); }
  ~WaitHook() {
    clock_.before_wait({});
    clock_.forget_plans();
  }
  WaitHook(const WaitHook&) = delete;
  WaitHook& operator=(const WaitHook&) = delete;

 private:
  LabClock& clock_;
};

std::vector<std::string> arguments_of(const HostRunOptions& options, const LabWorldOptions& world) {
  std::vector<std::string> arguments = {"postern"};
  if (options.resume.empty()) {
    const std::string& script = options.model_script.empty() ? world.model_script : options.model_script;
    arguments.insert(arguments.end(), {"run", options.ticket, "--model-api", "script:" + script});
  } else {
    arguments.insert(arguments.end(), {"resume", options.resume});
  }
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  return arguments;
}

// The whole of host/main.cc behind the process: command line, configuration, command.
host::ExitCode run_host(const std::string& folder, const std::vector<std::string>& arguments,
                        const host::TerminalStreams& streams, const host::Outside& outside,
                        const std::stop_token& stop) {
  const host::Interrupt interrupt(stop);
  host::Terminal plain(host::TerminalOptions{}, streams);
  std::vector<const char*> argv;
  argv.reserve(arguments.size());
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  const Result<host::CommandLine> line = host::parse_command_line(static_cast<int>(argv.size()), argv.data());
  if (!line) {
    plain.err(line.error().text());
    return host::exit_code_of(line.error());
  }
  // Nothing of the machine's own: what a person has configured there is none of the world's business.
  host::Environment environment;
  environment.values = {
      {"HOME", folder}, {"XDG_STATE_HOME", folder + "/state"}, {"XDG_CONFIG_HOME", folder + "/config"}};
  const Result<host::Config> config = host::load_config({line->flags, environment, folder});
  if (!config) {
    plain.err(config.error().text());
    return host::exit_code_of(config.error());
  }
  host::Terminal terminal(config->terminal, streams);
  const host::CommandContext context{*config, environment, terminal, interrupt, outside};
  if (const auto* command = std::get_if<host::RunCommand>(&line->command)) return run_command(context, *command);
  if (const auto* command = std::get_if<host::ResumeCommand>(&line->command)) return resume_command(context, *command);
  return host::refuse(terminal, host::UsageWrong{"A run of the laboratory runs a ticket, or goes on with one."});
}

std::string run_id_in(const std::string& printed) {
  constexpr std::string_view kLabel = "run        ";
  const std::size_t at = printed.starts_with(kLabel) ? 0 : printed.find("\n" + std::string(kLabel));
  if (at == std::string::npos) return {};
  const std::size_t from = printed.find(kLabel, at) + kLabel.size();
  return printed.substr(from, printed.find('\n', from) - from);
}

}  // namespace

Result<std::unique_ptr<ToldModel>> ToldModel::make(Env env, std::string_view script) {
  POSTERN_TRY(ModelScript read, embedded_script(script));
  return std::unique_ptr<ToldModel>(new ToldModel(env, std::move(read)));
}

Routes ToldModel::routes() {
  Routes routes;
  routes.fallback([this, all = model_.routes()](const HttpRequest& request) -> HttpReply {
    auto body = parse_json(request.body, kModelRequestBounds);
    if (!request.body.empty()) told_.push_back(body ? *std::move(body) : Json(request.body));
    return all.handle(request);
  });
  return routes;
}

Result<HostRunResult> HostRuns::run(const HostRunOptions& options) {
  KeptStream out("stdout");
  KeptStream err("stderr");
  const NoInput in;
  ToldModel* model = nullptr;
  const host::Outside outside{
      parts_.clock, parts_.random,
      [this](Env env, HttpClientOptions client_options) {
        const std::string to = client_options.tap_peer;
        auto client = parts_.network.client(env, std::move(client_options));
        return parts_.options.decorators.http ? parts_.options.decorators.http(std::move(client), "host", to)
                                              : std::move(client);
      },
      [&](Env /*env*/, const host::LocalStackOptions& stack,
          const std::stop_token& /*stop*/) -> Result<std::unique_ptr<host::LocalStack>> {
        if (!stack.model_script.empty()) {
          POSTERN_TRY(std::unique_ptr<ToldModel> made,
                      ToldModel::make({parts_.clock, parts_.random, tap_}, stack.model_script));
          model = made.get();
          HttpLimits limits;
          limits.body_bytes_max = kModelRequestBytesMax;
          parts_.network.put(parts_.world.origin("model"),
                             std::make_shared<InProcessServer>(parts_.clock, made->routes(), limits));
          models_.push_back(std::move(made));
        }
        return std::unique_ptr<host::LocalStack>(std::make_unique<WorldStack>(parts_.world));
      }};
  std::stop_source stop;
  Person person(parts_, options);
  int waits = 0;
  const WaitHook hook(parts_.clock, [&] {
    ++waits;
    if (options.on_wait) options.on_wait(waits);
    if (options.stopped_at_wait != 0 && waits == options.stopped_at_wait) stop.request_stop();
    person.look(err.text());
  });
  HostRunResult result;
  const host::TerminalStreams streams{in.descriptor(), out.descriptor(), err.descriptor(), true};
  result.exit = static_cast<int>(
      run_host(parts_.options.folder, arguments_of(options, parts_.options), streams, outside, stop.get_token()));
  result.out = out.text();
  result.err = err.text();
  result.run = options.resume.empty() ? run_id_in(result.err) : options.resume;
  if (!result.run.empty())
    result.wire_file = host::RunStore(parts_.options.folder + "/state").folder(result.run) + "/wire.jsonl";
  result.supervisor = person.pressed();
  if (model != nullptr) result.model_requests = model->told();
  const std::string name = "host-" + std::to_string(++runs_);
  outputs_[name + "/stdout"] = result.out;
  outputs_[name + "/stderr"] = result.err;
  for (const Json& told : result.model_requests) outputs_[name + "/model"] += told.dump() + "\n";
  return result;
}

}  // namespace postern::lab
