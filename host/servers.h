// OtherServers: the servers beside the desk in one run: reviewed, connected, called, and left out by name when that
// fails.
//
// The desk comes first and depends on none of them. A server that was never reviewed, cannot be reached or dies is
// named, and the run goes on without it. What such a server returns is labeled with our word for it and goes to the
// model only; the host reads nothing in it, so nothing of it can move money or open a case. A call of a tool that its
// reviewer did not let through ("confirm": false) is made only after a yes at the terminal, with all its inputs shown
// first; without a terminal it is not made. A server's annotations decide nothing (MCP 2026-07-28 server/tools).
//
// Everything it is given must outlive it. One thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/call.h"
#include "bridge/input_answerer.h"
#include "bridge/server_set.h"
#include "bridge/session.h"
#include "host/config.h"
#include "host/model/model.h"
#include "host/report.h"
#include "host/terminal.h"
#include "host/tool_watch.h"
#include "host/transcript/transcript.h"
#include "pins/pin_file.h"
#include "pins/pin_gate.h"
#include "wire/env/env.h"

namespace postern::host {

// One way to one server: Connection is the product's.
class ServerLink {
 public:
  virtual ~ServerLink() = default;
  [[nodiscard]] virtual bridge::Session& session() = 0;
  [[nodiscard]] virtual bridge::RequestAuthorizer& authorizer() = 0;
  [[nodiscard]] virtual bridge::InputAnswerer& answerer() = 0;
  [[nodiscard]] virtual bridge::CallObserver& observer() = 0;
  // True when the person stopped the run.
  [[nodiscard]] virtual bool sleep(std::chrono::milliseconds how_long, const std::stop_token& stop) = 0;
};

// What a ServerSet makes calls over that link with. Both must outlive the calls.
[[nodiscard]] std::function<std::unique_ptr<bridge::Call>(const bridge::ResultValidator&, bridge::CallOptions)>
calls_over(Env env, ServerLink& link);

// Asks the person at the desk whether a call may be made.
class CallConsent {
 public:
  enum class Answer { kYes, kNo, kNobody };
  virtual ~CallConsent() = default;
  // `inputs` are the whole arguments, made visible.
  [[nodiscard]] virtual Answer ask(const std::string& tool, const std::string& inputs, const std::stop_token& stop) = 0;
};

// At the terminal. No answer in `wait_max`, or in a minute when that is less, is a no.
class TerminalConsent final : public CallConsent {
 public:
  TerminalConsent(Terminal& terminal, std::chrono::seconds wait_max) : terminal_(terminal), wait_max_(wait_max) {}
  [[nodiscard]] Answer ask(const std::string& tool, const std::string& inputs, const std::stop_token& stop) override;

 private:
  Terminal& terminal_;
  std::chrono::seconds wait_max_;
};

struct OtherServersParts {
  Env env;
  Terminal& terminal;
  const std::vector<ServerConfig>& servers;
  const pins::PinFile& desk_pins;
  std::function<Result<std::unique_ptr<ServerLink>>(const ServerConfig& server)> connect;
  CallConsent& consent;
  std::string label_nonce;  // of the run
  bridge::CallOptions call_options;
  std::chrono::milliseconds start_ms_max{15'000};  // until a server that says nothing is left out
};

class OtherServers {
 public:
  // Reads the reviewed pins of all servers that are enabled and holds their tools' names against each other and the
  // desk's. Nothing is started. Failures: pin.bad_file, own.tool_names_alike.
  [[nodiscard]] static Result<std::unique_ptr<OtherServers>> prepare(OtherServersParts parts);
  ~OtherServers();
  OtherServers(const OtherServers&) = delete;
  OtherServers& operator=(const OtherServers&) = delete;

  // Each server once, in the order of their names, for at most start_ms_max.
  void connect(const std::stop_token& stop);
  [[nodiscard]] std::vector<bridge::ModelTool> shown() const { return set_.shown(); }
  // Whether a name belongs to a server of this configuration, whatever became of it.
  [[nodiscard]] bool owns(std::string_view tool) const;
  // Every tool_use gets an answer. bridge.stopped when the person stopped the run.
  [[nodiscard]] Result<ToolAnswer> answer(const ToolUse& use, std::stop_token stop);

  [[nodiscard]] const std::vector<ServerStanding>& standings() const { return standings_; }
  // Reviewed tools that were refused by their pins, by the names that a model would have had for them.
  [[nodiscard]] const std::vector<std::string>& refused_tools() const { return refused_; }

 private:
  struct Reviewed {
    const ServerConfig* server = nullptr;
    std::optional<pins::PinFile> pins;  // nothing: never reviewed
    std::unique_ptr<ServerLink> link;
    std::unique_ptr<pins::PinGate> gate;
    std::unique_ptr<ToolWatch> watch;
    int exits = 0;
  };
  explicit OtherServers(OtherServersParts parts);
  void connect_one(Reviewed& reviewed, const std::stop_token& stop);
  [[nodiscard]] Result<std::vector<mcp::Tool>> open(Reviewed& reviewed, std::optional<std::string>& instructions,
                                                    const std::stop_token& stop);
  void take_tools(Reviewed& reviewed, const std::vector<mcp::Tool>& tools,
                  const std::optional<std::string>& instructions);
  // Whether a failure means that the server is there no more. A program that ended is started again once.
  [[nodiscard]] bool is_gone(const std::string& server, const Failure& failure);
  void let_go(const std::string& server, const std::string& reason);
  void leave_out(const ServerConfig& server, std::string state, std::string reason);
  [[nodiscard]] ToolAnswer say(const ToolUse& use, bridge::ModelText text, std::string_view note);
  [[nodiscard]] bool is_withdrawn(const bridge::ServerSet::Found& found, const std::stop_token& stop);
  [[nodiscard]] std::optional<ToolAnswer> refuse_inputs(const ToolUse& use);
  [[nodiscard]] Result<std::optional<ToolAnswer>> ask_person(const ToolUse& use, const bridge::ServerSet::Found& found,
                                                             const std::stop_token& stop);
  [[nodiscard]] Result<ToolAnswer> failed(const ToolUse& use, const std::string& server, const Failure& failure);

  OtherServersParts parts_;
  std::vector<Reviewed> reviewed_;
  bridge::ServerSet set_;
  std::vector<ServerStanding> standings_;
  std::vector<std::string> refused_;
};

// The file of a server's reviewed pins. Nothing when there is none, or nobody has accepted it. pin.bad_file.
[[nodiscard]] Result<std::optional<pins::PinFile>> load_server_pins(const ServerConfig& server);

// What went wrong with a server in a command that is about it alone, where there is no case and no next request, and
// what can be done about it; the latter may be empty.
[[nodiscard]] std::string text_beside_desk(const Failure& failure);
[[nodiscard]] std::string hint_beside_desk(const Failure& failure, const ServerConfig& server);

// A server whose definitions nobody has reviewed is not used.
struct ServerNotReviewed {
  static constexpr std::string_view kId = "own.server_not_reviewed";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string server;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::host
