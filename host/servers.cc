#include "host/servers.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "bridge/failures.h"
#include "bridge/input_answers.h"
#include "bridge/model_text.h"
#include "bridge/oauth/failures.h"
#include "bridge/tool_names.h"
#include "host/server_config_file.h"
#include "wire/base/check.h"
#include "wire/base/file.h"
#include "wire/base/replace_text.h"
#include "wire/base/visible_text.h"
#include "wire/transport/failures.h"

namespace postern::host {
namespace {

constexpr std::size_t kPinBytesMax = 4 * 1024 * 1024;
constexpr std::size_t kShownInputsMax = 160;       // of a progress line
constexpr std::size_t kAskedInputsMax = 8 * 1024;  // that a person can look over before a yes

// Stops what is under way when the person stops the run, or when the time is up.
class TimeBound {
 public:
  TimeBound(std::chrono::milliseconds ms_max, const std::stop_token& outer)
      : on_outer_(outer, [this] { source_.request_stop(); }), thread_([this, ms_max] { wait(ms_max); }) {}
  ~TimeBound() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      done_ = true;
    }
    signal_.notify_all();
    thread_.join();
  }
  TimeBound(const TimeBound&) = delete;
  TimeBound& operator=(const TimeBound&) = delete;
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  void wait(std::chrono::milliseconds ms_max) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!signal_.wait_for(lock, ms_max, [this] { return done_; })) source_.request_stop();
  }
  std::stop_source source_;
  std::mutex mutex_;
  std::condition_variable signal_;
  bool done_ = false;
  std::stop_callback<std::function<void()>> on_outer_;
  std::thread thread_;
};

constexpr int kExitsMax = 2;
constexpr std::chrono::seconds kConsentLeast{60};  // whatever --wait says of approvals

// The first line of a failure: what has more explains what to do in a run of the desk.
std::string first_line(const Failure& failure) {
  // Its own text speaks of money, which is nobody's here.
  if (const auto* exited = failure.as<bridge::ServerExited>()) return "its program " + exited->how_it_ended();
  if (const auto* version = failure.as<bridge::VersionNotOffered>(); version != nullptr && !version->ended.empty())
    return visible_line(version->ended, 300);
  const std::string text = failure.text();
  return visible_line(text.substr(0, text.find('\n')), 300);
}

std::string inputs_of(const Json& input, std::size_t width_max) {
  return visible_line(input.dump(), width_max);
}

}  // namespace

std::function<std::unique_ptr<bridge::Call>(const bridge::ResultValidator&, bridge::CallOptions)> calls_over(
    Env env, ServerLink& link) {
  return [env, &link](const bridge::ResultValidator& validator, bridge::CallOptions options) {
    return std::make_unique<bridge::Call>(env, link.session(), link.authorizer(), validator, link.answerer(),
                                          link.observer(), std::move(options),
                                          [&link](std::chrono::milliseconds how_long, const std::stop_token& stop) {
                                            return link.sleep(how_long, stop);
                                          });
  };
}

CallConsent::Answer TerminalConsent::ask(const std::string& tool, const std::string& inputs,
                                         const std::stop_token& stop) {
  if (!terminal_.can_ask()) return Answer::kNobody;
  terminal_.end_waiting();
  terminal_.err("allow      " + terminal_.bold(tool) + " with");
  for (std::size_t at = 0; at < inputs.size();) {
    const std::size_t end = std::min(inputs.find('\n', at), inputs.size());
    terminal_.err("             " + inputs.substr(at, end - at));
    at = end + 1;
  }
  terminal_.begin_question("           The model wants to call it. Allow this call?");
  const std::optional<bool> answer = terminal_.answer_within(std::max(wait_max_, kConsentLeast), stop);
  terminal_.end_waiting();
  return answer.value_or(false) ? Answer::kYes : Answer::kNo;
}

Result<std::optional<pins::PinFile>> load_server_pins(const ServerConfig& server) {
  if (!file_exists(server.pins)) return std::optional<pins::PinFile>();
  const std::string shown = visible_line(server.pins, 200);
  const Result<std::string> text = read_file(server.pins, kPinBytesMax);
  if (!text) return pins::BadPinFile{"the file " + shown + " cannot be read"};
  Result<pins::PinFile> file = pins::parse_pin_file(*text);
  if (!file) {
    const auto* bad = file.error().as<pins::BadPinFile>();
    std::string reason = bad != nullptr ? bad->reason : file.error().text();
    if (!reason.empty() && reason.back() == '.') reason.pop_back();
    return pins::BadPinFile{shown + ": " + reason};
  }
  // A review that nobody has put a name to is none.
  if (file->reviewer.empty()) return std::optional<pins::PinFile>();
  return std::optional<pins::PinFile>(*std::move(file));
}

OtherServers::OtherServers(OtherServersParts parts) : parts_(std::move(parts)), set_(parts_.label_nonce) {}
OtherServers::~OtherServers() = default;

Result<std::unique_ptr<OtherServers>> OtherServers::prepare(OtherServersParts parts) {
  std::unique_ptr<OtherServers> others(new OtherServers(std::move(parts)));
  bridge::ToolNames names;
  for (const pins::ReviewedTool& tool : others->parts_.desk_pins.tools) {
    if (tool.is_offered()) POSTERN_TRY_VOID(names.add("", tool.pin.tool));
  }
  for (const ServerConfig& server : others->parts_.servers) {
    if (!server.enabled) continue;
    Reviewed reviewed;
    reviewed.server = &server;
    POSTERN_TRY(reviewed.pins, load_server_pins(server));
    if (reviewed.pins) {
      for (const pins::ReviewedTool& tool : reviewed.pins->tools) {
        if (tool.is_offered()) POSTERN_TRY_VOID(names.add(server.name, tool.pin.tool));
      }
    }
    others->reviewed_.push_back(std::move(reviewed));
  }
  return others;
}

void OtherServers::leave_out(const ServerConfig& server, std::string state, std::string reason) {
  parts_.env.tap.note({Layer::kOwn, server.name, true, Json::object({{"text", "left out: " + reason}})});
  standings_.push_back({server.name, std::move(state), std::move(reason)});
}

void OtherServers::connect(const std::stop_token& stop) {
  for (Reviewed& reviewed : reviewed_) {
    if (stop.stop_requested()) return;
    if (!reviewed.pins) {
      const ServerNotReviewed failure{reviewed.server->name};
      parts_.terminal.err(failure.text());
      leave_out(*reviewed.server, "not_reviewed", "it was never reviewed");
      continue;
    }
    connect_one(reviewed, stop);
  }
}

Result<std::vector<mcp::Tool>> OtherServers::open(Reviewed& reviewed, std::optional<std::string>& instructions,
                                                  const std::stop_token& stop) {
  POSTERN_TRY(reviewed.link, parts_.connect(*reviewed.server));
  POSTERN_TRY(const mcp::DiscoverResult discovered, reviewed.link->session().connect(stop));
  instructions = discovered.instructions;
  return reviewed.link->session().list_tools(stop);
}

void OtherServers::connect_one(Reviewed& reviewed, const std::stop_token& stop) {
  const ServerConfig& server = *reviewed.server;
  std::optional<std::string> instructions;
  bool late = false;
  const Result<std::vector<mcp::Tool>> tools = [&] {
    const TimeBound bound(parts_.start_ms_max, stop);
    Result<std::vector<mcp::Tool>> opened = open(reviewed, instructions, bound.token());
    late = bound.token().stop_requested();
    return opened;
  }();
  if (tools) return take_tools(reviewed, *tools, instructions);
  reviewed.link.reset();
  if (stop.stop_requested()) return;
  const std::string reason =
      late ? "it did not answer within " + std::to_string(parts_.start_ms_max.count() / 1000) + " s"
           : first_line(tools.error());
  parts_.terminal.err("The server " + server.name + " is left out of this run: " + reason);
  if (const std::string hint = hint_beside_desk(tools.error(), server); !hint.empty()) parts_.terminal.err(hint);
  parts_.terminal.err("  The case goes on without its tools. No money is involved.");
  leave_out(server, "unreachable", reason);
}

void OtherServers::take_tools(Reviewed& reviewed, const std::vector<mcp::Tool>& tools,
                              const std::optional<std::string>& instructions) {
  const ServerConfig& server = *reviewed.server;
  Terminal& terminal = parts_.terminal;
  reviewed.gate = std::make_unique<pins::PinGate>(*reviewed.pins);
  pins::PinVerdict verdict = reviewed.gate->admit_all(tools, instructions);
  for (const bridge::UnusableTool& tool : reviewed.link->session().unusable_tools())
    terminal.err("The tool " + tool.name + " of " + server.name + " is left out: " + tool.reason);
  for (const pins::PinRefusal& refusal : verdict.refused) {
    const std::string name = bridge::qualified_tool_name(server.name, refusal.tool);
    const std::string reason = pins::reason_of(refusal);
    parts_.env.tap.note({Layer::kSchema, name, true, Json::object({{"text", "pin check refused: " + reason}})});
    // A tool that is new was never used; it is no change of one that was.
    if (refusal.pinned_digest.empty()) {
      terminal.detail("pins", name + " is not reviewed, and not shown to the model");
      continue;
    }
    refused_.push_back(name);
    terminal.err("pin check refused: " + name + " (" + reason + ")");
    terminal.err("  The model will not see this tool. The case goes on without it.");
    terminal.err("  See the change: postern pins diff --server-name " + server.name);
  }
  const std::size_t matching = verdict.admitted.size();
  bridge::ServerSetEntry entry;
  entry.name = server.name;
  entry.tools = std::move(verdict.admitted);
  entry.mirrors_parameters = reviewed.link->session().transport().mirrors_parameters();
  entry.calls_max = server.calls_max;
  entry.make_call = calls_over(parts_.env, *reviewed.link);
  for (const auto& [tool, failure] : set_.add(std::move(entry), parts_.call_options)) terminal.err(failure.text());
  terminal.progress("server", server.name + ": " + place_of(server) + ", MCP " +
                                  reviewed.link->session().protocol_version() + ", " + std::to_string(matching) +
                                  " tools, reviewed " + reviewed.pins->reviewed_at);
  reviewed.watch = std::make_unique<ToolWatch>(parts_.env, reviewed.link->session(), *reviewed.gate);
  standings_.push_back({server.name, "connected", ""});
}

bool OtherServers::owns(std::string_view tool) const {
  const std::size_t end = tool.find("__");
  if (end == std::string_view::npos) return false;
  return std::any_of(reviewed_.begin(), reviewed_.end(),
                     [&](const Reviewed& reviewed) { return reviewed.server->name == tool.substr(0, end); });
}

ToolAnswer OtherServers::say(const ToolUse& use, bridge::ModelText text, std::string_view note) {
  parts_.env.tap.note(
      {Layer::kModel, use.name, true, Json::object({{"text", "the model was told: " + std::string(note)}})});
  parts_.terminal.progress("call", visible_line(use.name, 140) + "  refused: " + std::string(note));
  return ToolAnswer{use.id, std::move(text), true};
}

bool OtherServers::is_withdrawn(const bridge::ServerSet::Found& found, const std::stop_token& stop) {
  const auto owner = std::find_if(reviewed_.begin(), reviewed_.end(),
                                  [&](const Reviewed& one) { return one.server->name == found.server; });
  return owner != reviewed_.end() && owner->watch && owner->watch->is_withdrawn(found.pinned->name(), stop);
}

std::optional<ToolAnswer> OtherServers::refuse_inputs(const ToolUse& use) {
  if (!use.input.is_object()) return say(use, bridge::arguments_not_an_object(), "the arguments are no object");
  const Status fits = set_.check_arguments(use.name, use.input);
  if (fits) return std::nullopt;
  return say(use, bridge::arguments_refused(fits.error()),
             "the arguments do not fit: " + visible_line(fits.error().text(), 160));
}

Result<std::optional<ToolAnswer>> OtherServers::ask_person(const ToolUse& use, const bridge::ServerSet::Found& found,
                                                           const std::stop_token& stop) {
  if (!found.pinned->asks_first()) return std::optional<ToolAnswer>();
  const std::string inputs = visible_text(use.input.pretty());
  if (inputs.size() > kAskedInputsMax)
    return std::optional(say(use, bridge::inputs_too_long_to_ask(), "its inputs are too long to be looked over"));
  switch (parts_.consent.ask(use.name, inputs, stop)) {
    case CallConsent::Answer::kYes:
      parts_.env.tap.note({Layer::kModel, use.name, false, Json::object({{"text", "the person allowed the call"}})});
      return std::optional<ToolAnswer>();
    case CallConsent::Answer::kNo:
      if (stop.stop_requested()) return bridge::StoppedByPerson{};
      return std::optional(say(use, bridge::consent_refused(), "the person did not allow it"));
    case CallConsent::Answer::kNobody:
      break;
  }
  return std::optional(say(use, bridge::nobody_to_ask(), "it needs a yes, and nobody can be asked"));
}

bool OtherServers::is_gone(const std::string& server, const Failure& failure) {
  const std::string_view id = failure.id();
  if (id == "transport.unreachable" || id == "transport.spawn_failed") return true;
  if (id != bridge::ServerExited::kId) return false;
  const auto owner =
      std::find_if(reviewed_.begin(), reviewed_.end(), [&](const Reviewed& one) { return one.server->name == server; });
  return owner == reviewed_.end() || ++owner->exits >= kExitsMax;
}

void OtherServers::let_go(const std::string& server, const std::string& reason) {
  parts_.terminal.err("The server " + server + " is gone: " + reason);
  parts_.terminal.err("  The case goes on without its tools. No money is involved.");
  set_.remove(server);
  for (Reviewed& reviewed : reviewed_) {
    if (reviewed.server->name != server) continue;
    reviewed.watch.reset();
    reviewed.link.reset();
  }
  for (ServerStanding& standing : standings_) {
    if (standing.name == server) standing = {server, "gone", reason};
  }
}

Result<ToolAnswer> OtherServers::failed(const ToolUse& use, const std::string& server, const Failure& failure) {
  const std::string_view id = failure.id();
  // Whatever was in flight there, it is no refund.
  if (failure.as<bridge::StoppedByPerson>() != nullptr) return bridge::StoppedByPerson{};
  if (id == bridge::CallsUsedUp::kId) return say(use, bridge::calls_used_up(), first_line(failure));
  if (is_gone(server, failure)) {
    let_go(server, first_line(failure));
    return say(use, bridge::server_gone(), "the server is gone");
  }
  if (failure.as<bridge::OutcomeUnknown>() != nullptr) {
    return say(use, bridge::other_outcome_unknown(), "its answer was lost or cannot be used");
  }
  if (id.substr(0, 7) == "schema.") return say(use, bridge::result_refused(), first_line(failure));
  if (failure.as<bridge::AskedAgain>() != nullptr) return say(use, bridge::step_declined(), first_line(failure));
  if (failure.as<bridge::NobodyToAsk>() != nullptr) return say(use, bridge::nobody_for_step(), first_line(failure));
  const bool step = id.substr(0, 12) == "elicitation." || id.substr(0, 8) == "sign_in." ||
                    id.substr(0, 6) == "oauth." || id == "bridge.input_not_supported" || id == "bridge.still_pending" ||
                    bridge::wants_what_was_not_declared(failure);
  if (step) return say(use, bridge::other_step_not_taken(), first_line(failure));
  if (id == "transport.timed_out" || id == "bridge.timed_out")
    return say(use, bridge::call_timed_out(), first_line(failure));
  return say(use, bridge::call_failed(), first_line(failure));
}

Result<ToolAnswer> OtherServers::answer(const ToolUse& use, std::stop_token stop) {
  const std::optional<bridge::ServerSet::Found> found = set_.find(use.name);
  if (!found) {
    const std::string server = use.name.substr(0, use.name.find("__"));
    const bool gone = std::any_of(standings_.begin(), standings_.end(), [&](const ServerStanding& standing) {
      return standing.name == server && standing.state != "connected";
    });
    if (gone) return say(use, bridge::server_gone(), "the server is not there");
    return say(use, bridge::no_such_tool(), "there is no such tool");
  }
  if (is_withdrawn(*found, stop))
    return say(use, bridge::tool_withdrawn(), "the server withdrew or changed it in this run");
  if (auto refused = refuse_inputs(use)) return *std::move(refused);
  parts_.env.tap.note({Layer::kSchema, use.name, false, Json::object({{"text", "arguments fit"}})});
  POSTERN_TRY(std::optional<ToolAnswer> denied, ask_person(use, *found, stop));
  if (denied) return *std::move(denied);
  // Before the call, whoever allowed it: which tool, and with what.
  parts_.terminal.progress("call", use.name + " " + inputs_of(use.input, kShownInputsMax));
  const SteadyTime began = parts_.env.clock.steady_now();
  const Result<bridge::LabeledResult> result = set_.call(use.name, use.input, std::move(stop));
  parts_.terminal.end_waiting();
  if (!result) return failed(use, found->server, result.error());
  const auto took = std::chrono::duration_cast<Milliseconds>(parts_.env.clock.steady_now() - began);
  parts_.terminal.progress(
      "", std::string(result->is_error() ? "  reports an error, " : "  ok, ") + std::to_string(took.count()) + " ms");
  Json details = Json::object({{"text", "labeled as untrusted data of " + found->server}});
  if (result->hidden_characters() > 0) {
    details.set("hidden_characters", static_cast<std::int64_t>(result->hidden_characters()));
    parts_.terminal.progress("hidden", std::to_string(result->hidden_characters()) +
                                           " characters that cannot be seen in the result of " + use.name +
                                           " were made visible");
  }
  parts_.env.tap.note({Layer::kModel, use.name, false, std::move(details)});
  const bool is_error = result->is_error();
  return ToolAnswer{use.id, *result, is_error};
}

std::string text_beside_desk(const Failure& failure) {
  std::string text = failure.text();
  // Of the desk's runs: here there is no case, and this command asks for nothing more.
  replace_all(text, " No case was opened.", "");
  replace_all(text, " Nothing was sent to the model.", "");
  replace_all(text, " It is started again for the next request.", "");
  return text;
}

std::string hint_beside_desk(const Failure& failure, const ServerConfig& server) {
  const std::string entry = "mcpServers." + server.name;
  if (const auto* version = failure.as<bridge::VersionNotOffered>(); version != nullptr) {
    if (version->ended.empty()) return "  To speak an older revision with it: \"era\": \"auto\" in " + entry;
    return "  Start it by hand and look. If it only speaks an older revision: \"era\": \"auto\" in " + entry;
  }
  if (failure.as<bridge::NoWayToSignIn>() != nullptr) return "  Run: postern login " + server.name;
  if (failure.as<bridge::ServerExited>() != nullptr) return "  Start it by hand and look. Its entry is " + entry;
  if (failure.id() == "transport.spawn_failed") return "  Correct \"command\" in " + entry;
  const auto* unreachable = failure.as<Unreachable>();
  if (unreachable != nullptr && server.is_http() && server.url.starts_with(unreachable->where))
    return "  See whether it runs, and whether \"url\" in " + entry + " is right.";
  return {};
}

std::string ServerNotReviewed::text() const {
  return "The server " + server + " was never reviewed, so none of its tools is used or shown to a model.\n" +
         "  Review it: postern pins review --server-name " + server;
}

}  // namespace postern::host
